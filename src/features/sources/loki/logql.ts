import { levelWords, type LogLevel } from '@casebook/connectors';
import { equals, quoteRegex, quoteString } from '../query-language.ts';

/** Labels that name a service, most telling first. */
export const serviceLabels = [
  'service_name',
  'service',
  'app',
  'app_kubernetes_io_name',
  'job',
  'container',
  'container_name',
  'filename',
] as const;

export const levelLabels = ['level', 'detected_level', 'severity'] as const;

/**
 * The LogQL queries that together find a service's lines with a text and a level; no line matches two of them.
 * Different labels may name streams: each query selects those that one label names and no better one does. A level is a
 * label of some streams and part of the line in others.
 * @param options.serviceLabels the labels in use that name services, best first; at least one
 */
export function logQueries(options: {
  serviceLabels: readonly string[];
  levelLabel?: string;
  service?: string;
  text?: string;
  level?: LogLevel;
}): string[] {
  const { levelLabel, service, text, level } = options;
  const contains = text === undefined || text === '' ? '' : ` |~ ${quoteString(`(?i)${quoteRegex(text)}`)}`;
  return serviceSelectors(options.serviceLabels, service).flatMap((of) => {
    if (level === undefined) return [`{${of}}${contains}`];
    const words = levelWords[level].join('|');
    const stated = ` |~ ${quoteString(String.raw`(?i)\b(${words})\b`)}`;
    if (levelLabel === undefined) return [`{${of}}${contains}${stated}`];
    const labelled = `${levelLabel}=~${quoteString(`(?i)(${words})`)}`;
    return [`{${of}, ${labelled}}${contains}`, `{${of}, ${levelLabel}=""}${contains}${stated}`];
  });
}

/** Matchers of the streams of one service, or of all, one set for each label that may name it. */
export function serviceSelectors(labels: readonly string[], service: string | undefined): string[] {
  return labels.map((label, i) => {
    // LogQL requires at least one matcher that does not match an empty value.
    const named = service === undefined ? `${label}=~".+"` : equals(label, service);
    return [named, ...labels.slice(0, i).map((better) => `${better}=""`)].join(', ');
  });
}
