import { z } from 'zod';
import { InvalidRequest, type ValidationIssue } from '../../../http/errors.ts';
import { echo, isSensitive, toValidationIssues } from '../../../http/validation/issues.ts';
import { guardJson } from '../../../http/validation/json-guard.ts';
import { checkProblems, duplicateIds, planProblems, sizeProblems, type Problem } from './problems.ts';
import { Check, MAX_CHECKS, MAX_PLAN_BYTES, Plan } from './schema.ts';

/** A problem of an untrusted plan, named as in a validation error response. */
export interface PlanProblem extends Problem {
  /** FastAPI's name for it: `missing`, `value_error`, … */
  type: string;
  /** The offending input, bounded. */
  input: unknown;
  ctx?: Record<string, unknown>;
}

export type ParsedPlan = { plan: Plan } | { problems: PlanProblem[] };

/** Maximum number of reported problems. */
const MAX_PROBLEMS = 100;
/** Larger inputs are rejected unread: a plan's own limit is far below. */
const MAX_BYTES = 4 * MAX_PLAN_BYTES;

/**
 * Reads a plan from a person, a model or a program. Never throws, whatever the input.
 * @returns the plan with its defaults, or all problems: those of its form, and, for checks of valid form, whatever
 *   keeps them from being carried out
 */
export function parsePlan(value: unknown): ParsedPlan {
  const copy = copyOf(value);
  if ('problems' in copy) return copy;
  const { json } = copy;
  const guarded = guardJson(json, 'plan').map((issue) => problemOf({ ...issue, loc: issue.loc.slice(1) }));
  // Without the input: deeply nested values are unsafe for others to traverse.
  if (guarded.some(({ type }) => type === 'json_invalid')) return { problems: guarded };
  const parsed = Plan.safeParse(bounded(json));
  if (parsed.success && guarded.length === 0) {
    const problems = planProblems(parsed.data).map((problem) => described(problem, json));
    return problems.length === 0 ? { plan: parsed.data } : { problems: problems.slice(0, MAX_PROBLEMS) };
  }
  const schema = formProblems(parsed.error?.issues ?? [], json);
  const besides = [...sizeProblems(json), ...problemsOfValidChecks(json)];
  return { problems: withoutRepeats([...guarded, ...schema, ...besides.map((problem) => described(problem, json))]) };
}

/** A schema's problems with an untrusted input. */
export const formProblems = (issues: readonly z.core.$ZodIssue[], json: unknown): PlanProblem[] =>
  toValidationIssues(issues, 'body', json).map((issue) => problemOf({ ...issue, loc: issue.loc.slice(1) }));

/**
 * The response to a request with an invalid plan.
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

/** A problem with the name and input that a validation error response needs. @param json the value with the problem */
export function described(problem: Problem, json: unknown): PlanProblem {
  const input = isSensitive(problem.path) ? null : echo(valueAt(json, problem.path));
  return { ...problem, type: 'value_error', input };
}

/** As plain JSON: no getters, cycles or prototypes, and nothing shared with the caller's object. */
function copyOf(value: unknown): { json: unknown } | { problems: PlanProblem[] } {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    const message = 'Plan should be plain JSON without cycles, and not deeply nested';
    return { problems: [{ path: [], message, type: 'json_invalid', input: null }] };
  }
  if (text === undefined) return { json: undefined };
  if (Buffer.byteLength(text) > MAX_BYTES) {
    const message = `Plan should have at most ${MAX_PLAN_BYTES} bytes as JSON; it has ${Buffer.byteLength(text)}`;
    return { problems: [{ path: [], message, type: 'value_error', input: null }] };
  }
  return { json: JSON.parse(text) };
}

const checksOf = (json: unknown): unknown[] => {
  const checks = valueAt(json, ['checks']);
  return Array.isArray(checks) ? checks : [];
};

/** Truncates a list of ten thousand checks to just above the limit: enough to report that it is too long. */
function bounded(json: unknown): unknown {
  const checks = checksOf(json);
  if (typeof json !== 'object' || checks.length <= MAX_CHECKS) return json;
  return { ...json, checks: checks.slice(0, MAX_CHECKS + 1) };
}

/**
 * {@link Plan} for requests: also reports what keeps a plan from being carried out, all at once. A refinement of the
 * schema would run only on a plan of valid form.
 */
export const CarriedOutPlan = z.preprocess((value, context) => {
  const { success, error } = Plan.safeParse(value);
  context.issues.push(...(error?.issues ?? []).map((issue) => ({ ...issue, input: undefined })));
  const besides = [...sizeProblems(value), ...problemsOfValidChecks(value)];
  for (const { path, message } of besides) context.issues.push({ code: 'custom', path, message, input: undefined });
  return success && besides.length === 0 ? value : z.NEVER;
}, Plan);

function problemsOfValidChecks(json: unknown): Problem[] {
  const checks = checksOf(json).slice(0, MAX_CHECKS);
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

/** The first problem for each place and name. */
export function withoutRepeats(problems: PlanProblem[]): PlanProblem[] {
  const seen = new Set<string>();
  return problems
    .filter(({ path, message }) => {
      const key = JSON.stringify([path, message]);
      return !seen.has(key) && seen.add(key);
    })
    .slice(0, MAX_PROBLEMS);
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.getOwnPropertyDescriptor(current, part)?.value;
  }
  return current;
}
