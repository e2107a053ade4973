import { z } from 'zod';
import { InvalidRequest, type ValidationIssue } from '../../../http/errors.ts';
import { echo, isSensitive } from '../../../http/validation/echo.ts';
import { toValidationIssues } from '../../../http/validation/issues.ts';
import { guardJson } from '../../../http/validation/json-guard.ts';
import { checkProblems, duplicateIds, planProblems, sizeProblems, type Problem } from './problems.ts';
import { Check, MOST_CHECKS, MOST_PLAN_BYTES, Plan } from './schema.ts';

/** A problem of a plan as somebody wrote it, named as in the answer to a request that is not valid. */
export interface PlanProblem extends Problem {
  /** As FastAPI names it: `missing`, `value_error`, … */
  type: string;
  /** What was there, bounded. */
  input: unknown;
  ctx?: Record<string, unknown>;
}

export type ParsedPlan = { plan: Plan } | { problems: PlanProblem[] };

/** The most problems that are reported. */
const MOST_PROBLEMS = 100;
/** What is larger than this is not looked at: a plan's own limit is far below. */
const MOST_BYTES = 4 * MOST_PLAN_BYTES;

/**
 * Reads a plan that a person, a model or a program wrote. Never throws, whatever it is given.
 * @returns the plan with its defaults, or everything that is wrong with it: of its form, and, of the checks whose form is
 *   right, what keeps them from being carried out
 */
export function parsePlan(value: unknown): ParsedPlan {
  const copy = copyOf(value);
  if ('problems' in copy) return copy;
  const { json } = copy;
  const guarded = guardJson(json, 'plan').map((issue) => problemOf({ ...issue, loc: issue.loc.slice(1) }));
  // Not what it says: what is nested too deep is not to be walked through by others.
  if (guarded.some(({ type }) => type === 'json_invalid')) return { problems: guarded };
  const parsed = Plan.safeParse(bounded(json));
  if (parsed.success && guarded.length === 0) {
    const problems = planProblems(parsed.data).map((problem) => described(problem, json));
    return problems.length === 0 ? { plan: parsed.data } : { problems: problems.slice(0, MOST_PROBLEMS) };
  }
  const schema = formProblems(parsed.error?.issues ?? [], json);
  const besides = [...sizeProblems(json), ...problemsOfValidChecks(json)];
  return { problems: withoutRepeats([...guarded, ...schema, ...besides.map((problem) => described(problem, json))]) };
}

/** What a schema says of something that somebody wrote. */
export const formProblems = (issues: readonly z.core.$ZodIssue[], json: unknown): PlanProblem[] =>
  toValidationIssues(issues, 'body', json).map((issue) => problemOf({ ...issue, loc: issue.loc.slice(1) }));

/**
 * The answer to a request with a plan that is not valid.
 * @param prefix where the plan is in the request, for example `['body', 'plan']`
 */
export function invalidPlan(problems: readonly PlanProblem[], prefix: (string | number)[]): InvalidRequest {
  return new InvalidRequest(
    problems.map(({ path, message, type, input, ctx }): ValidationIssue => ({
      type,
      loc: [...prefix, ...path],
      msg: message,
      input,
      ...(ctx && { ctx }),
    })),
  );
}

/** A problem with the name and the input that the answer to a request needs. @param json what it is a problem of */
export function described(problem: Problem, json: unknown): PlanProblem {
  const input = isSensitive(problem.path) ? null : echo(valueAt(json, problem.path));
  return { ...problem, type: 'value_error', input };
}

/** As plain JSON: no getters, cycles or prototypes, and none of it shared with who gave it. */
function copyOf(value: unknown): { json: unknown } | { problems: PlanProblem[] } {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    const message = 'Plan should be plain JSON without cycles, and not deeply nested';
    return { problems: [{ path: [], message, type: 'json_invalid', input: null }] };
  }
  if (text === undefined) return { json: undefined };
  if (Buffer.byteLength(text) > MOST_BYTES) {
    const message = `Plan should have at most ${MOST_PLAN_BYTES} bytes as JSON; it has ${Buffer.byteLength(text)}`;
    return { problems: [{ path: [], message, type: 'value_error', input: null }] };
  }
  return { json: JSON.parse(text) };
}

const checksOf = (json: unknown): unknown[] => {
  const checks = valueAt(json, ['checks']);
  return Array.isArray(checks) ? checks : [];
};

/** Of ten thousand checks only so many are looked at that it is seen that they are too many. */
function bounded(json: unknown): unknown {
  const checks = checksOf(json);
  if (typeof json !== 'object' || checks.length <= MOST_CHECKS) return json;
  return { ...json, checks: checks.slice(0, MOST_CHECKS + 1) };
}

/**
 * {@link Plan} for requests: says also what keeps a plan from being carried out, and all of it at once. A refinement of the
 * schema would be asked only once the form is right.
 */
export const CarriedOutPlan = z.preprocess((value, context) => {
  const { success, error } = Plan.safeParse(value);
  context.issues.push(...(error?.issues ?? []).map((issue) => ({ ...issue, input: undefined })));
  const besides = [...sizeProblems(value), ...problemsOfValidChecks(value)];
  for (const { path, message } of besides) context.issues.push({ code: 'custom', path, message, input: undefined });
  return success && besides.length === 0 ? value : z.NEVER;
}, Plan);

function problemsOfValidChecks(json: unknown): Problem[] {
  const checks = checksOf(json).slice(0, MOST_CHECKS);
  const ofChecks = checks.flatMap((raw, index) => {
    const check = Check.safeParse(raw);
    if (!check.success) return [];
    return checkProblems(check.data).map(({ path, message }) => ({ path: ['checks', index, ...path], message }));
  });
  return [...duplicateIds(checks), ...ofChecks];
}

const problemOf = ({ loc: path, msg: message, type, input, ctx }: ValidationIssue): PlanProblem => ({
  path,
  message,
  type,
  input,
  ...(ctx && { ctx }),
});

/** One problem for each place and name, the first. */
export function withoutRepeats(problems: PlanProblem[]): PlanProblem[] {
  const seen = new Set<string>();
  return problems
    .filter(({ path, message }) => {
      const key = JSON.stringify([path, message]);
      return !seen.has(key) && seen.add(key);
    })
    .slice(0, MOST_PROBLEMS);
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.getOwnPropertyDescriptor(current, part)?.value;
  }
  return current;
}
