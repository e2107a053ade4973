/** A check while it is being written. */
import type { PlanInput } from '../../../../../src/features/monitoring-agents/plan/schema.ts';
import type { PlannedCall } from '../../../decide.ts';
import type { Chat } from '../../conversation/chat.ts';
import { name } from '../../conversation/wording.ts';
import { isLive, type ListedSource } from '../../investigation/sources.ts';
import { periodOf } from '../reading/schedules.ts';
import type { Settings, Wish } from '../reading/wish.ts';
import { checkIdFor, titleFor } from './naming.ts';
import type { Telemetry } from './telemetry.ts';

export type CheckInput = NonNullable<PlanInput['checks']>[number];
export type SubjectInput = CheckInput['check'];

/** A check as it will be written, or why it cannot be. */
export interface Draft {
  wish: Wish;
  title: string;
  subject: SubjectInput;
  /** Parts of the check's id. */
  parts: readonly (string | undefined)[];
  /** Of the metric, where it is known. */
  unit?: string;
  /** How it stands now, with what shows it. */
  now?: string;
  notes: string[];
}

export interface Outcome {
  drafts: Draft[];
  /** To be asked before the drafts are what they should be. */
  calls: PlannedCall[];
  /** Why something is not watched. */
  problems: string[];
}

export const USUAL_INTERVAL = 300;
export interface DraftContext {
  chat: Chat;
  telemetry: Telemetry;
  can: (tool: string) => boolean;
}

/** What is said for all, and what is said for it before that. */
export function settingsFor({ settings: own }: Pick<Wish, 'settings'>, all: Settings): Settings {
  return {
    schedule: { ...all.schedule, ...own.schedule, notes: [] },
    policy: { ...all.policy, ...own.policy },
  };
}

export function periodFor({ schedule: { when } }: Settings): number {
  return when === undefined ? USUAL_INTERVAL : periodOf(when);
}

/** The check of a draft as it is written into the plan. @param taken ids that other checks have */
export function checkOf({ wish, title, subject, parts }: Draft, taken: ReadonlySet<string>): CheckInput {
  const { schedule, policy } = wish.settings;
  const { when, time_zone, quiet_hours } = schedule;
  return {
    id: checkIdFor(parts, taken),
    title: titleFor(title),
    check: subject,
    schedule: {
      ...(when ?? { every_seconds: USUAL_INTERVAL }),
      ...(time_zone !== undefined && { time_zone }),
      ...(quiet_hours !== undefined && { quiet_hours }),
    },
    ...policy,
  };
}

/** What is recorded does not change any more. */
export function recorded(source: ListedSource): string[] {
  if (isLive(source)) return [];
  return [
    `${name(source.id)} is the recording of a past incident: nothing new happens in it. **Its checks will fail: there is no new data**, and I say so wherever you ask. Connect a live source (PROMETHEUS_URL, LOKI_URL or a satellite) to watch a system.`,
  ];
}

export function only(draft: Draft): Outcome {
  return { drafts: [draft], calls: [], problems: [] };
}
