/** One thing that a person wants watched. */
import type { ListServicesResult } from '../../../../../src/features/tools/results.ts';
import type { Aspect } from './aspects.ts';
import type { SaidComparison } from './comparison.ts';
import type { Policy } from './policies.ts';
import type { SaidSchedule } from './schedules.ts';
import type { NamedServices } from './services.ts';
import type { Unable } from './unable.ts';
import type { SaidLimit } from './thresholds.ts';

export type Service = ListServicesResult['services'][number];

export interface Settings {
  schedule: SaidSchedule;
  policy: Policy;
}

export type Subject =
  | { kind: 'metric'; aspect: Aspect; statistic?: string; limit: SaidLimit; success?: boolean }
  /** A metric by its exact name. */
  | { kind: 'named metric'; metric: string; statistic?: string; limit: SaidLimit }
  | { kind: 'promql'; promql: string; limit: SaidLimit }
  | { kind: 'logs'; pattern?: string; level?: 'error' | 'warn' | 'info' | 'debug'; isNew: boolean; limit: SaidLimit }
  | { kind: 'health'; compared: SaidComparison }
  | { kind: 'dependency'; caller?: string; callee?: string; isMissing: boolean; limit: SaidLimit }
  | { kind: 'instruction'; instruction: string };

export interface Wish {
  subject: Subject;
  /** Empty: all. */
  services: string[];
  settings: Settings;
}

export interface Reading {
  wishes: Wish[];
  /** What was said for all of them. */
  settings: Settings;
  /** Services as they were named, see {@link NamedServices}. */
  named: NamedServices;
  /** Pieces that say nothing that is understood. */
  unread: string[];
  /** Where it is to report, as it was said. */
  reporting: string[];
  unable: Unable;
}
