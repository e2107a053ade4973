/** What the words of a check are about: services, and signals or log lines. */
import {
  limitIn,
  quotedIn,
  servicesIn,
  signalsIn,
  statisticIn,
  unknownServiceIn,
  withoutQuotes,
  type Limit,
  type Signal,
} from './reading.ts';

export interface Subject {
  /** The words, without quoted text. */
  plain: string;
  /** Empty: all services. */
  services: string[];
  /** A service that the words name and no source knows. */
  unknown?: string;
  signals: Signal[];
  statistic?: string;
  lines: { pattern: string } | { level: 'warn' | 'error' };
  isAboutLogs: boolean;
  limit?: Limit;
}

const MAX_SERVICES = 10;
const MAX_SIGNALS = 4;
const LOGS = /\blogs?\b|\blog lines?\b|\bexceptions?\b|\bstack ?traces?\b|\berror (?:lines?|messages?)\b/iu;

export function subjectOf(text: string, known: readonly string[]): Subject {
  const [pattern] = quotedIn(text);
  const plain = withoutQuotes(text);
  const services = servicesIn(plain, known).slice(0, MAX_SERVICES);
  const isAboutLogs = pattern !== undefined || LOGS.test(plain);
  return {
    plain,
    services,
    unknown: services.length === 0 ? unknownServiceIn(plain) : undefined,
    signals: isAboutLogs ? [] : signalsIn(plain).slice(0, MAX_SIGNALS),
    statistic: statisticIn(plain),
    lines: pattern === undefined ? { level: /\bwarn/iu.test(plain) ? 'warn' : 'error' } : { pattern },
    isAboutLogs,
    limit: limitIn(plain),
  };
}
