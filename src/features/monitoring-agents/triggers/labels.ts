import { MAX_LABELS, MAX_LINKS } from './port.ts';
import { clip, line, textOf } from './text.ts';

type Labels = Record<string, string>;

/** Maximum number of tags read. */
const MAX_TAGS = 1_000;
const LONGEST_NAME = 200;
const LONGEST_VALUE = 500;
const LONGEST_URL = 2_000;

/** Labels that name the service, the most reliable first. `job` names the scrape job, which is better than nothing. */
const SERVICE_LABELS = [
  'service',
  'service_name',
  'service.name',
  'app',
  'application',
  'app_kubernetes_io_name',
  'app.kubernetes.io/name',
  'deployment',
  'workload',
  'container',
  'job',
];
/** Kept in preference to others when there are too many labels. */
const IMPORTANT = new Set([
  'alertname',
  'severity',
  'env',
  'environment',
  'namespace',
  'cluster',
  'instance',
  ...SERVICE_LABELS,
]);

/** Names and values as text, unbounded: the identity of an alert. Drops empty values. */
export function labelsOf(value: Record<string, unknown>): Labels {
  // Prometheus treats an empty label as absent.
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const text = typeof inner === 'string' ? inner : textOf(inner);
    return text ? [[name, text] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** At most {@link MAX_LABELS}, the important ones first, with bounded names and values. */
export function boundedLabels(labels: Labels): Labels {
  const entries = Object.entries(labels);
  const kept = [
    ...entries.filter(([name]) => IMPORTANT.has(name)),
    ...entries.filter(([name]) => !IMPORTANT.has(name)),
  ].slice(0, MAX_LABELS);
  return Object.fromEntries(kept.map(([name, value]) => [line(name, LONGEST_NAME), clip(value, LONGEST_VALUE)]));
}

export function serviceOf(labels: Labels): string | undefined {
  const name = SERVICE_LABELS.find((label) => Object.hasOwn(labels, label) && labels[label]?.trim());
  return name === undefined ? undefined : line(labels[name]!, 200);
}

/**
 * Converts tags as Datadog and others write them, `service:checkout`, to labels. A tag without a value is its own
 * value.
 */
export function labelsOfTags(tags: readonly string[]): Labels {
  const pairs = tags.slice(0, MAX_TAGS).flatMap((tag) => {
    const [name = '', ...rest] = tag.trim().split(':');
    return name ? [[name.trim(), rest.join(':').trim() || 'true'] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/** The links that lead to a web page. */
export function linksOf(links: readonly { label: string; url: unknown }[]): { label: string; url: string }[] {
  const seen = new Set<string>();
  return links
    .flatMap(({ label, url }) => {
      const text = textOf(url)?.trim();
      if (text === undefined || text.length > LONGEST_URL || seen.has(text) || !isPage(text)) return [];
      seen.add(text);
      return [{ label: line(label, 100) || 'Link', url: text }];
    })
    .slice(0, MAX_LINKS);
}

function isPage(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url) && url.isWellFormed() && !/[\p{Cc}\s]/u.test(url);
}
