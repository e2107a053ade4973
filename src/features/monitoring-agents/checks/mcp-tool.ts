/** `mcp_tool`: one call of a read-only tool, and a condition on its answer. */
import { uuidOf } from '../../../platform/uuid.ts';
import { clip, type EvidenceReader, normalizeOutput, oneLine } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { compare, inWords } from './compare.ts';
import { digits, listed, near } from './figures.ts';
import type { CheckContext, CheckResult, Observation } from './port.ts';
import { evidenceOf, failed, judged } from './result.ts';

type ToolSubject = SubjectOf<'mcp_tool'>;
type Verdict = Pick<Observation, 'isFinding' | 'text' | 'value' | 'expected'> | { problem: string };

const ANSWER_CHARACTERS = 20_000;

/** A check has no evidence of earlier calls. */
const noEvidence: EvidenceReader = { read: async () => undefined, readById: async () => undefined };

export async function runToolCheck(subject: ToolSubject, context: CheckContext): Promise<CheckResult> {
  const { sessionId, teamId, actor, sources, clock, signal } = context;
  const registry = await context.tools();
  const tool = registry.get(subject.tool);
  if (!tool) {
    const similar = listed(near(subject.tool, registry.names()));
    return failed(
      `there is no tool "${subject.tool}"; ${similar ? `similar: ${similar}` : 'the team has no read-only tool'}`,
    );
  }
  if (tool.sideEffect) return failed(`${subject.tool} has side effects: a check only reads`);
  const output = await registry.invoke(subject.tool, subject.arguments, {
    conversationId: sessionId,
    runId: sessionId,
    toolCallId: uuidOf(`${sessionId}/${subject.tool}`),
    teamId,
    actor,
    sources,
    evidence: noEvidence,
    clock,
    signal,
  });
  const { content, form } = normalizeOutput(output);
  const evidence = [
    evidenceOf(subject.tool, `${subject.tool} ${JSON.stringify(subject.arguments)}`, 1, (most) => ({
      answer: clip(content, most === 1 ? ANSWER_CHARACTERS : 2_000),
    })),
  ];
  if (output.isError) return failed(`${subject.tool}: ${errorText(content)}`, evidence);
  if (form === 'binary') return failed(`${subject.tool} returned bytes that are not text`, evidence);
  if (form === 'empty') return failed(`${subject.tool} returned nothing`, evidence);
  const verdict = judgeAnswer(content, subject);
  if ('problem' in verdict) return failed(`${subject.tool}: ${verdict.problem}`, evidence);
  return judged({ observations: [{ subject: subject.tool, ...verdict }], evidence, noun: ['answer', 'answers'] });
}

/** Judges a tool's text output. Text matching is case-sensitive. */
function judgeAnswer(content: string, { tool, condition }: Pick<ToolSubject, 'tool' | 'condition'>): Verdict {
  if (condition.type !== 'value') {
    const contains = content.includes(condition.text);
    const said = `${tool} ${contains ? 'contains' : 'lacks'} "${clip(condition.text, 80)}": ${oneLine(content, 120)}`;
    return { isFinding: contains === (condition.type === 'contains'), text: said };
  }
  const { pointer, operator, value: expected } = condition;
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch {
    return { problem: 'the answer is not JSON' };
  }
  const found = atPointer(document, pointer);
  if (!found) return { problem: `the answer has nothing at "${pointer}"` };
  const { value } = found;
  const where = pointer === '' ? tool : `${pointer} of ${tool}`;
  const result = compared(value, operator, expected);
  if (result === undefined) {
    return { problem: `${where} is ${kindOf(value)}, which cannot be compared with ${JSON.stringify(expected)}` };
  }
  const limit = result ? inWords[operator] : `limit ${operator}`;
  return {
    isFinding: result,
    text: `${where} is ${shown(value)}, ${limit} ${shown(expected)}`,
    ...(typeof value === 'number' && { value }),
    ...(typeof expected === 'number' && { expected }),
  };
}

/** Undefined if the two differ in kind, or have no order. */
function compared(value: unknown, operator: Parameters<typeof compare>[1], expected: unknown): boolean | undefined {
  if (typeof value === 'number' && typeof expected === 'number') return compare(value, operator, expected);
  if (typeof value === 'string' && typeof expected === 'string') return compare(value, operator, expected);
  if (typeof value === 'boolean' && typeof expected === 'boolean' && (operator === '==' || operator === '!=')) {
    return compare(value, operator, expected);
  }
  return undefined;
}

const shown = (value: unknown): string =>
  typeof value === 'number' ? digits(value) : clip(JSON.stringify(value), 100);

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;

/** The message of an error output; Casebook's own tools put it in the `error` member of a JSON object. */
function errorText(content: string): string {
  try {
    const found = atPointer(JSON.parse(content), '/error');
    if (typeof found?.value === 'string') return found.value;
  } catch {
    // Not JSON: used verbatim.
  }
  return content;
}

/** RFC 6901. */

/** What a JSON pointer refers to: `{ value }`, or `undefined` if the document has nothing there. Own members only. */
export function atPointer(document: unknown, pointer: string): { value: unknown } | undefined {
  let value = document;
  for (const escaped of pointer.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) {
      // No leading zeros, and no "-", which names the element after the last one.
      if (!/^(0|[1-9]\d*)$/.test(name) || Number(name) >= value.length) return undefined;
      value = value[Number(name)];
    } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
      value = Object.getOwnPropertyDescriptor(value, name)?.value;
    } else return undefined;
  }
  return { value };
}
