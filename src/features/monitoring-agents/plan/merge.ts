import { z } from 'zod';
import { described, formProblems, parsePlan, withoutRepeats, type ParsedPlan } from './parse.ts';
import type { Problem } from './problems.ts';
import { checkId, MOST_CHECKS, type Plan } from './schema.ts';

const CheckPatch = z
  .object({
    id: checkId,
    remove: z.literal(true).optional().describe('Takes the check out of the plan.'),
  })
  .catchall(z.json())
  .refine(({ remove, ...check }) => remove === undefined || Object.keys(check).length === 1, {
    message: 'A check that is removed should have no other members than its id',
    path: ['remove'],
  })
  .meta({
    id: 'MonitoringCheckPatch',
    description:
      'Members of a MonitoringCheck that are to change, merged into the check with this id as in RFC 7396: objects are merged, ' +
      'lists and values replaced, null takes an optional member out. Another type of a check or condition replaces it whole; ' +
      'every_seconds replaces cron and the other way round. A check with an id that is not in the plan is added at its end.',
  });

/** What is to change in a plan; what it does not name stays. */
export const PlanPatch = z
  .strictObject({
    summary: z.string().trim().max(2_000).optional(),
    checks: z
      .array(CheckPatch)
      .max(2 * MOST_CHECKS)
      .optional(),
  })
  .meta({ id: 'MonitoringPlanPatch' });
export type PlanPatch = z.infer<typeof PlanPatch>;

type Json = z.core.util.JSONType;
type JsonObject = { [member: string]: Json };

/**
 * A plan with a patch merged into it.
 * @returns a new plan that nobody has validated yet: give it to `parsePlan`, or use {@link applyPatch}
 */
export function mergePlan(current: Plan, patch: PlanPatch): unknown {
  return merged(current, patch);
}

function merged(current: Plan, patch: PlanPatch): { summary: string; checks: JsonObject[] } {
  const checks = new Map(current.checks.filter(isObject).map((check): [Json, JsonObject] => [check.id, check]));
  for (const { remove, ...changes } of patch.checks ?? []) {
    const before = checks.get(changes.id);
    if (remove) checks.delete(changes.id);
    else checks.set(changes.id, mergeCheck(before ?? {}, changes));
  }
  return structuredClone({ summary: patch.summary ?? current.summary, checks: [...checks.values()] });
}

/** What is wrong with a patch as a patch of this plan; paths begin in the patch. */
export function patchProblems(current: Plan, patch: PlanPatch): Problem[] {
  const known = new Set(current.checks.map(({ id }) => id));
  const named = new Set<string>();
  return (patch.checks ?? []).flatMap(({ id, remove }, index) => {
    const path = ['checks', index, 'id'];
    if (named.has(id)) return [{ path, message: 'A patch should name each check once' }];
    named.add(id);
    if (!remove || known.has(id)) return [];
    const ids = [...known].join(', ');
    return [
      {
        path,
        message: `There is no check "${id}" to remove. ${ids ? `The plan has ${ids}` : 'The plan has no checks'}`,
      },
    ];
  });
}

/**
 * Merges a patch into a plan and validates the result. Never throws, whatever it is given.
 * @param written a patch as somebody wrote it
 * @returns the new plan, or everything that is wrong; paths begin in the patch, where it names the check they are about
 */
export function applyPatch(current: Plan, written: unknown): ParsedPlan {
  const read = PlanPatch.safeParse(written);
  if (read.success) return applied(current, read.data);
  const problems = formProblems(read.error.issues, written);
  // Of a patch whose form is not right, what can be merged is: its other mistakes are to be told as well.
  const rest = applied(current, mergeable(written));
  return { problems: withoutRepeats([...problems, ...('problems' in rest ? rest.problems : [])]) };
}

/** What of a patch can be merged, every check at its place. */
function mergeable(written: unknown): PlanPatch {
  const checks = isObject(written) && Array.isArray(written.checks) ? written.checks.slice(0, 2 * MOST_CHECKS) : [];
  return {
    checks: checks.map((check): CheckPatch => {
      if (!isObject(check)) return { id: '', remove: true };
      const { remove, ...changes } = check;
      return { id: '', ...changes, ...(remove === true && { remove }) } as CheckPatch;
    }),
  };
}

function applied(current: Plan, patch: PlanPatch): ParsedPlan {
  const problems = patchProblems(current, patch).map((problem) => described(problem, patch));
  const plan = merged(current, patch);
  const parsed = parsePlan(plan);
  if ('plan' in parsed) return problems.length === 0 ? parsed : { problems };
  const places = new Map((patch.checks ?? []).map(({ id }, index): [unknown, number] => [id, index]));
  for (const problem of parsed.problems) {
    const [list, index, ...rest] = problem.path;
    const place = list === 'checks' && typeof index === 'number' ? places.get(plan.checks[index]?.id) : undefined;
    problems.push(place === undefined ? problem : { ...problem, path: ['checks', place, ...rest] });
  }
  return { problems };
}

function mergeCheck(before: JsonObject, changes: JsonObject): JsonObject {
  const merged = mergeObject(before, changes, ['check', 'check.condition']);
  const { schedule } = changes;
  // One excludes the other: who names one of them means that one.
  if (isObject(schedule) && isObject(merged.schedule)) {
    const isNamed = (member: string): boolean => Object.hasOwn(schedule, member) && schedule[member] !== null;
    if (isNamed('cron') && !isNamed('every_seconds')) delete merged.schedule.every_seconds;
    if (isNamed('every_seconds') && !isNamed('cron')) delete merged.schedule.cron;
  }
  return merged;
}

/**
 * As in RFC 7396.
 * @param typed places of objects that another `type` replaces whole: members of one type mean nothing in another
 */
function mergeObject(before: JsonObject, changes: JsonObject, typed: readonly string[], at = ''): JsonObject {
  const members = new Map(Object.entries(before));
  for (const [member, change] of Object.entries(changes)) {
    const place = at === '' ? member : `${at}.${member}`;
    const earlier = members.get(member);
    if (change === null) members.delete(member);
    else if (!isObject(change)) members.set(member, change);
    else {
      const isOther = typed.includes(place) && isObject(earlier) && (change.type ?? earlier.type) !== earlier.type;
      members.set(member, mergeObject(isObject(earlier) && !isOther ? earlier : {}, change, typed, place));
    }
  }
  // Not by assignment: a member may be called __proto__.
  return Object.fromEntries(members);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
