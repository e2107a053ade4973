/** Conversion between finding rows and the reducer's state, and the locks under which rows change. */
import { createHash } from 'node:crypto';
import type { EntityManager } from '../../../db/orm.ts';
import { storableText } from '../../../platform/storable.ts';
import { Finding } from '../entities.ts';
import { type FindingState, FLAPPING_WINDOW_MS } from './reduce.ts';

/**
 * Serialises the observations of one agent, including those of findings without a row yet.
 * @param em in a transaction; the lock ends with it
 * @param owner the agent's id, or the team's for alerts that belong to no agent
 */
export async function lockFindings(em: EntityManager, owner: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`findings:${owner}`]);
}

/** Findings that are not closed, by key, and those that a person closed and that still hold sources, by held key. */
export type CurrentFindings = Map<string, Finding>;

export const heldKey = (key: string): string => `held ${key}`;

/** The current findings with these keys. @param em holds the lock of their owner */
export async function currentFindings(
  em: EntityManager,
  agentId: string | null,
  keys: readonly string[],
): Promise<CurrentFindings> {
  const rows = await em.find(
    Finding,
    { agentId, dedupKey: { $in: [...keys] }, $or: [{ status: { $ne: 'closed' } }, { isHeld: true }] },
    { orderBy: { closedAt: 'asc' } },
  );
  return new Map(rows.map((row) => [row.isHeld ? heldKey(row.dedupKey) : row.dedupKey, row]));
}

/** What a new finding takes over from earlier ones of its key. */
export interface Earlier {
  /** Recent opens, unix milliseconds. */
  opens: number[];
  /** A person wants to hear nothing of it until then. */
  mutedUntil: Date | null;
}

/** What is taken over from findings that are now closed, for each of the keys. */
export async function earlierOf(
  em: EntityManager,
  agentId: string | null,
  keys: readonly string[],
  at: number,
): Promise<Map<string, Earlier>> {
  const earlier = new Map<string, Earlier>(keys.map((key) => [key, { opens: [], mutedUntil: null }]));
  if (keys.length === 0) return earlier;
  const since = at - FLAPPING_WINDOW_MS;
  const closed = await em.find(
    Finding,
    {
      agentId,
      dedupKey: { $in: [...keys] },
      status: 'closed',
      $or: [{ closedAt: { $gt: new Date(since) } }, { mutedUntil: { $gt: new Date(at) } }],
    },
    { fields: ['dedupKey', 'opens', 'mutedUntil'], orderBy: { closedAt: 'asc' }, disableIdentityMap: true },
  );
  // The last row of a key includes the opens of those before it.
  for (const row of closed)
    earlier.set(row.dedupKey, { opens: row.opens.filter((time) => time > since), mutedUntil: row.mutedUntil });
  return earlier;
}

/**
 * Many tools never report the end of an alert: after this much silence it is over, and the next report is news again.
 * Alertmanager repeats firing alerts every four hours by default.
 */
const ALERT_SILENCE_MS = 24 * 3_600_000;

export function stateOf(row: Finding): FindingState {
  const { status, sources, opens, isFlapping, occurrences, coolDownSeconds, revision } = row;
  return {
    status,
    sources,
    opens,
    isFlapping,
    occurrences,
    coolDownSeconds,
    revision,
    openedAt: row.openedAt?.getTime() ?? null,
    resolvedAt: row.resolvedAt?.getTime() ?? null,
    closedAt: row.closedAt?.getTime() ?? null,
    lastSeenAt: row.lastSeenAt.getTime(),
    ...(row.origin === 'alert' && { silenceMs: ALERT_SILENCE_MS }),
  };
}

/** A state as the columns that hold it. */
export function columnsOf(state: FindingState) {
  const { status, sources, opens, isFlapping, occurrences, coolDownSeconds, revision } = state;
  return {
    status,
    sources,
    opens,
    isFlapping,
    occurrences,
    coolDownSeconds,
    revision,
    openedAt: dateOf(state.openedAt),
    resolvedAt: dateOf(state.resolvedAt),
    closedAt: dateOf(state.closedAt),
    lastSeenAt: new Date(state.lastSeenAt),
  };
}

const dateOf = (time: number | null): Date | null => (time === null ? null : new Date(time));

/** Longer keys end in their hash, because they are part of an index. */
const MAX_KEY_CHARACTERS = 500;

/**
 * The key of the finding that an observation belongs to. @param template from the plan; `{check}` and `{subject}` are
 * filled in
 */
export function dedupKey(template: string, check: string, subject: string): string {
  return bounded(template.replaceAll(/\{(check|subject)\}/g, (_, name) => (name === 'check' ? check : subject)));
}

/** A check's subject as a source of a finding; check ids contain no slash. */
export const sourceKey = (checkId: string, subject: string): string => bounded(`${checkId}/${subject}`);

/** The key prefix of all sources of a check. */
export const sourcePrefix = (checkId: string): string => `${checkId}/`;

/** @param fingerprint identifies the alert for ever */
export const alertKey = (fingerprint: string): string => bounded(`alert/${fingerprint}`);

/** The agent's own health. */
export const HEALTH_KEY = 'agent/health';

function bounded(key: string): string {
  const text = storableText(key);
  if (text.length <= MAX_KEY_CHARACTERS) return text;
  const hash = createHash('sha256').update(text).digest('hex');
  return `${text.slice(0, MAX_KEY_CHARACTERS - hash.length - 1).toWellFormed()}#${hash}`;
}
