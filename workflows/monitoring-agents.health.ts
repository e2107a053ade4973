/** Whether all checks of an agent's plan run. Pure. */
import type { AgentHealth, AgentSettings, TrackedCheck } from '../src/features/monitoring-agents/contract.ts';

export interface Health {
  health: AgentHealth;
  /** Unix milliseconds. */
  since: number;
  /** `key` identifies the problem; `text` describes it to people, including what changes from run to run. */
  reasons: { key: string; text: string }[];
}

/** A single failed run may be chance. */
const FAILURES = 2;
/** The first plan is drafted in a conversation, with a model. */
const DRAFTING_MS = 5 * 60_000;
/** Nobody reads more than this. */
const MAX_REASONS = 10;

/** @param before its previous health: `since` is kept while the health is the same */
export function assessHealth(
  { plan, active, config }: AgentSettings,
  checks: readonly TrackedCheck[],
  now: number,
  before: Health,
): Health {
  const as = (health: AgentHealth, reasons: Health['reasons'] = []): Health => ({
    health,
    reasons: reasons.slice(0, MAX_REASONS),
    since: health === before.health && before.since > 0 ? before.since : now,
  });
  // Nobody expects anything of it, and its past health does not improve meanwhile.
  if (!active) return before.since > 0 ? before : as(before.health);
  const enabled = new Map(plan.checks.filter((check) => check.enabled).map((check) => [check.id, check]));
  if (enabled.size === 0) {
    // A plan being drafted is nothing to notify anyone of.
    if (before.health === 'starting' && now < draftedBy(before, now)) return as('starting');
    const text = plan.checks.length === 0 ? 'The plan has no checks.' : 'All checks are disabled.';
    return as('degraded', [{ key: 'no-checks', text }]);
  }
  const watched = checks.filter(({ checkId }) => enabled.has(checkId));
  const reasons: Health['reasons'] = [];
  if (watched.some(({ budgetSpent }) => budgetSpent)) {
    const text = `The model budget of $${config.modelBudgetUsdPerDay} a day is exhausted: instruction checks and model reviews are paused.`;
    reasons.push({ key: 'budget', text });
  }
  for (const { checkId, failures, last, silentAt, lastResultAt, budgetSpent } of watched) {
    const title = enabled.get(checkId)?.title ?? checkId;
    if (budgetSpent && last?.status === 'failed') continue;
    if (failures >= FAILURES) {
      const text = `"${title}" cannot run: ${last?.digest ?? ''}`;
      reasons.push({ key: `failing:${checkId}`, text });
    } else if (silentAt !== null && silentAt <= now) {
      const since = lastResultAt === undefined ? 'yet' : `since ${new Date(lastResultAt).toISOString()}`;
      const text = `"${title}" has had no result ${since}, for three periods or more.`;
      reasons.push({ key: `silent:${checkId}`, text });
    }
  }
  if (reasons.length > 0) return as('degraded', reasons);
  const unproven = watched.filter(({ lastResultAt }) => lastResultAt === undefined).map(({ checkId }) => checkId);
  const stillWrong = before.reasons.filter(({ key }) => unproven.some((checkId) => isAbout(key, plan, checkId)));
  if (stillWrong.length > 0) return as('degraded', stillWrong);
  const isNew = before.health === 'starting' || before.reasons.some(({ key }) => key === 'no-checks');
  return as(isNew && unproven.length === watched.length ? 'starting' : 'healthy');
}

/** Changing its check, or resuming its agent, does not end a fault: the check has to say so. */
function isAbout(key: string, { checks }: AgentSettings['plan'], checkId: string): boolean {
  if (key === 'budget') return checks.some(({ id, check }) => id === checkId && check.type === 'instruction');
  return key === `failing:${checkId}` || key === `silent:${checkId}`;
}

/** Until when an agent may be without checks, unix milliseconds. */
export const draftedBy = ({ since }: Health, now: number): number => (since > 0 ? since : now) + DRAFTING_MS;

/** Whether an agent's health changed, ignoring the details of a reason that vary from run to run. */
export const isOtherHealth = (before: Health, after: Health): boolean =>
  before.health !== after.health ||
  before.reasons.map(({ key }) => key).join() !== after.reasons.map(({ key }) => key).join();
