/** Which checks of the plan a person means. */
import { mentions } from '../investigation/words.ts';
import type { CurrentCheck } from './current-plan.ts';
import { aspectsIn } from './reading/aspects.ts';
import { servicesIn } from './reading/services.ts';

export interface Selection {
  checks: CurrentCheck[];
  /** The words name checks, a kind, or a service; otherwise all are meant that can be. */
  named: boolean;
  /** Services that were named. */
  services: string[];
}

const KINDS: [RegExp, (check: CurrentCheck) => boolean][] = [
  [/\blogs?\b|\blog[- ]?(?:check|pattern|lines?)s?\b/iu, ({ check }) => check.type === 'log_pattern'],
  [/\bhealth\b/iu, ({ check }) => check.type === 'service_health'],
  [/\binstructions?\b/iu, ({ check }) => check.type === 'instruction'],
  [/\b(?:dependenc(?:y|ies)|calls)\b/iu, ({ check }) => check.type === 'dependency'],
  [/\bmetrics?\b/iu, ({ check }) => check.type === 'metric'],
  [/\bpromql\b/iu, ({ check }) => check['promql'] !== undefined],
];
const ALL = /\b(?:all|everything|every|each|them|both|these|those)\b/iu;
const ORDINALS: [RegExp, number][] = [
  [/\b(?:first|1st)\b/iu, 0],
  [/\b(?:second|2nd)\s+(?:one|check)/iu, 1],
  [/\b(?:third|3rd)\s+(?:one|check)/iu, 2],
  [/\b(?:last|latest|newest)\s+(?:one|check)/iu, -1],
];

/** The checks that words name: by id, by kind, by what they measure, by service, by the text they look for. */
export function selectChecks(text: string, checks: readonly CurrentCheck[]): Selection {
  const byId = checks.filter(
    ({ id, title }) => mentions(text, id) || (title.length > 5 && text.toLowerCase().includes(title.toLowerCase())),
  );
  if (byId.length > 0) return { checks: byId, named: true, services: [] };
  const ordinal = ORDINALS.find(([said]) => said.test(text))?.[1];
  if (ordinal !== undefined && /\bcheck|\bone\b/iu.test(text))
    return { checks: checks.slice(ordinal).slice(0, 1), named: true, services: [] };
  const known = [...new Set(checks.flatMap(servicesOf))].map((name) => ({ name, metrics: 0 }));
  const services = servicesIn(text, known).names;
  const kinds = KINDS.filter(([said]) => said.test(text));
  const isLogs = kinds.some(([said]) => said.test('log'));
  const aspects = isLogs ? [] : aspectsIn(text).map(({ aspect }) => aspect);
  const patterns = checks.filter(
    ({ check }) => typeof check['pattern'] === 'string' && text.toLowerCase().includes(check['pattern'].toLowerCase()),
  );
  const quantiles = text.toLowerCase().match(/\bp\d{2,3}\b/g) ?? [];
  if (patterns.length > 0) return { checks: patterns, named: true, services };
  const ofKind = (check: CurrentCheck): boolean =>
    (kinds.length === 0 && aspects.length === 0 && quantiles.length === 0) ||
    kinds.some(([, is]) => is(check)) ||
    aspects.some(
      ({ id, said }) =>
        check.check.type !== 'log_pattern' && (check.id.split('-').includes(id) || said.test(check.title)),
    ) ||
    quantiles.some((quantile) => check.check['statistic'] === quantile);
  const ofService = (check: CurrentCheck): boolean =>
    services.length === 0 || services.some((one) => servicesOf(check).includes(one));
  const named = kinds.length > 0 || aspects.length > 0 || services.length > 0 || quantiles.length > 0;
  return { checks: checks.filter((check) => ofKind(check) && ofService(check)), named, services };
}

export function meansAll(text: string): boolean {
  return ALL.test(text);
}

/** The services a check is about; none: all. */
export function servicesOf({ check }: CurrentCheck): string[] {
  const { service, services, caller, callee } = check;
  const listed: unknown[] = Array.isArray(services) ? services : [];
  return [service, caller, callee, ...listed].filter((one): one is string => typeof one === 'string');
}
