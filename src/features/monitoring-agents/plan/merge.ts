import { z } from 'zod';
import { described, formProblems, parsePlan, withoutRepeats, type ParsedPlan, type PlanProblem } from './parse.ts';
import type { Problem } from './problems.ts';
import { checkId, JsonValue, MAX_CHECKS, type Plan } from './schema.ts';

const CheckPatch = z
  .object({
    id: checkId,
    remove: z.literal(true).optional().describe('Removes the check from the plan.'),
  })
  .catchall(JsonValue)
  .refine(({ remove, ...check }) => remove === undefined || Object.keys(check).length === 1, {
    message: 'A removed check should have no members besides its id',
    path: ['remove'],
  })
  .meta({
    id: 'MonitoringCheckPatch',
    description:
      'The members of a MonitoringCheck to change, merged into the check with this id as in RFC 7396: objects are merged, ' +
      'lists and values are replaced, null removes an optional member. A different type of check or condition replaces the old one whole; ' +
      'every_seconds replaces cron and vice versa. A check with a new id is appended to the plan.',
  });

/** The changes to a plan; what a patch does not name stays. */
export const PlanPatch = z
  .strictObject({
    summary: z.string().trim().max(2_000).optional(),
    checks: z
      .array(CheckPatch)
      .max(2 * MAX_CHECKS)
      .optional(),
  })
  .meta({ id: 'MonitoringPlanPatch' });
export type PlanPatch = z.infer<typeof PlanPatch>;

type Json = z.core.util.JSONType;
type JsonObject = { [member: string]: Json };

/**
 * A plan with a patch merged into it.
 * @returns a new plan, not validated yet: pass it to `parsePlan`, or use {@link applyPatch}
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

/** Problems of a patch in relation to this plan; paths begin in the patch. */
function patchProblems(current: Plan, patch: PlanPatch): Problem[] {
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
 * Merges a patch into a plan and validates the result. Never throws, whatever the input.
 * @param written an untrusted patch
 * @returns the new plan, or all problems; paths begin in the patch if it names the check in question
 */
export function applyPatch(current: Plan, written: unknown): ParsedPlan {
  const read = PlanPatch.safeParse(written);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is one; the copy lacks what a member called __proto__ would say
  if (read.success) return applied(current, written as PlanPatch);
  const problems = formProblems(read.error.issues, written);
  // A malformed patch is merged as far as possible, so that its other problems are reported as well.
  const { patch, places } = mergeable(written);
  const rest = applied(current, patch, places);
  return { problems: withoutRepeats([...problems, ...('problems' in rest ? rest.problems : [])]) };
}

/** The parts of a patch that can be merged, and where in it each check is. */
function mergeable(written: unknown): { patch: PlanPatch; places: number[] } {
  const listed = isObject(written) && Array.isArray(written.checks) ? written.checks.slice(0, 2 * MAX_CHECKS) : [];
  const found = listed.flatMap((check, place) => {
    if (!isObject(check)) return [];
    const { id, remove, ...changes } = check;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever the id is, the plan that has it is refused
    return [{ place, check: { id: id as string, ...changes, ...(remove === true && { remove: true as const }) } }];
  });
  return { patch: { checks: found.map(({ check }) => check) }, places: found.map(({ place }) => place) };
}

/** @param places where the patch's checks were written; by default at their own index */
function applied(current: Plan, patch: PlanPatch, places?: readonly number[]): ParsedPlan {
  const placeOf = (index: number): number => places?.[index] ?? index;
  const problems = patchProblems(current, patch)
    .map((problem) => described(problem, patch))
    .map((problem) => moved(problem, placeOf));
  const plan = merged(current, patch);
  const parsed = parsePlan(plan);
  if ('plan' in parsed) return problems.length === 0 ? parsed : { problems };
  const named = new Map((patch.checks ?? []).map(({ id }, index): [unknown, number] => [id, index]));
  for (const problem of parsed.problems) {
    const [list, index] = problem.path;
    const place = list === 'checks' && typeof index === 'number' ? named.get(plan.checks[index]?.id) : undefined;
    problems.push(place === undefined ? problem : moved(problem, () => placeOf(place)));
  }
  return { problems };
}

/** A problem of a check, reported at the place where it was written. */
function moved(problem: PlanProblem, placeOf: (index: number) => number): PlanProblem {
  const [list, index, ...rest] = problem.path;
  return typeof index === 'number' ? { ...problem, path: [list!, placeOf(index), ...rest] } : problem;
}

function mergeCheck(before: JsonObject, changes: JsonObject): JsonObject {
  const merged = mergeObject(before, changes, ['check', 'check.condition']);
  const { schedule } = changes;
  // One excludes the other: naming one of them removes the other.
  if (isObject(schedule) && isObject(merged.schedule)) {
    const isNamed = (member: string): boolean => Object.hasOwn(schedule, member) && schedule[member] !== null;
    if (isNamed('cron') && !isNamed('every_seconds')) delete merged.schedule.every_seconds;
    if (isNamed('every_seconds') && !isNamed('cron')) delete merged.schedule.cron;
  }
  return merged;
}

/**
 * As in RFC 7396.
 * @param typed paths of objects that another `type` replaces whole: members of one type mean nothing in another
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
  // Not an assignment: a member may be called __proto__.
  return Object.fromEntries(members);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
