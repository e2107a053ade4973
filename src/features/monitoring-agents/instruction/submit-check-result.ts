/** The submitted result of a check that a model carries out. */
import { z } from 'zod';
import { locateExcerpt } from '../../investigations/index.ts';
import {
  clip,
  isCitable,
  type EvidenceReader,
  type StoredEvidence,
  count,
  defineTool,
  errorOutput,
  jsonOutput,
} from '../../tools/index.ts';
import { MAX_OBSERVATIONS } from '../checks/port.ts';

const text = (most: number) => z.string().trim().min(1).max(most);

const InstructionObservation = z.strictObject({
  subject: text(200).describe('The judged subject, named the same in every run, for example a service.'),
  text: text(1_000).describe('What was seen, with the decisive numbers.'),
  is_finding: z.boolean().optional().describe('Default: true when status is "finding".'),
  service: text(200).optional().describe('The service it concerns.'),
  evidence: z.array(z.number().int().min(1)).max(20).default([]).describe('Evidence numbers of tool results.'),
  excerpts: z
    .array(z.string().min(1).max(2_000))
    .max(10)
    .default([])
    .describe('Copied from the cited results character by character. A finding needs at least one.'),
});

export const InstructionResult = z.strictObject({
  status: z
    .enum(['ok', 'finding', 'failed'])
    .describe('ok: looked, and nothing is a finding. finding: at least one is. failed: no conclusion was possible.'),
  summary: text(500).describe('The result, or why there is no result, in one sentence.'),
  observations: z.array(InstructionObservation).max(MAX_OBSERVATIONS).default([]),
});
export type InstructionResult = z.infer<typeof InstructionResult>;

export const isFinding = (
  { status }: Pick<InstructionResult, 'status'>,
  observation: InstructionResult['observations'][number],
): boolean => observation.is_finding ?? status === 'finding';

type Observation = InstructionResult['observations'][number];

/** Maximum results searched for one that shows real data. */
const MAX_TRIED = 30;
const QUOTED_CHARACTERS = 400;

/** All problems of a result, worded so that the model can fix them. */
async function resultProblems(result: InstructionResult, reader: EvidenceReader): Promise<string[]> {
  const { status, observations } = result;
  const findings = observations.filter((observation) => isFinding(result, observation));
  const problems: string[] = [];
  if (status === 'finding' && findings.length === 0) {
    problems.push('The status is "finding", but no observation is one: add it, or submit "ok" or "failed".');
  }
  if (status !== 'finding' && findings.length > 0) {
    problems.push(`An observation is a finding, and the status is "${status}": hand in "finding", or correct it.`);
  }
  if (status === 'ok' && !(await hasLooked(reader))) {
    problems.push('Nothing was looked at: use the tools first, or hand in "failed" and say why.');
  }
  const subjects = observations.map(({ subject }) => subject);
  for (const subject of new Set(subjects.filter((name, at) => subjects.indexOf(name) !== at))) {
    problems.push(`"${subject}" is observed more than once: one observation for each subject.`);
  }
  for (const observation of observations) {
    problems.push(...(await citationProblems(observation, findings.includes(observation), reader)));
  }
  return problems;
}

async function citationProblems(
  { subject, evidence, excerpts }: Observation,
  mustCite: boolean,
  reader: EvidenceReader,
): Promise<string[]> {
  const problems: string[] = [];
  const cited: StoredEvidence[] = [];
  for (const n of new Set(evidence)) {
    const stored = await reader.read(n);
    if (!stored) problems.push(`"${subject}": evidence ${n} does not exist.`);
    else if (!isCitable(stored.tool)) problems.push(`"${subject}": evidence ${n} is your own words.`);
    else cited.push(stored);
  }
  if (mustCite && evidence.length === 0) problems.push(`"${subject}" is a finding and cites no evidence.`);
  if (mustCite && excerpts.length === 0) problems.push(`"${subject}" is a finding and has no excerpt of its evidence.`);
  for (const excerpt of excerpts) {
    if (cited.some(({ content }) => locateExcerpt(content, excerpt) !== undefined)) continue;
    const quoted = JSON.stringify(clip(excerpt, QUOTED_CHARACTERS));
    problems.push(
      `"${subject}": the excerpt ${quoted} is not in the cited evidence, or too short to tell. Copy a piece of it exactly.`,
    );
  }
  return problems;
}

async function hasLooked(reader: EvidenceReader): Promise<boolean> {
  for (let n = 1; n <= MAX_TRIED; n++) {
    const stored = await reader.read(n);
    if (stored && isCitable(stored.tool)) return true;
  }
  return false;
}

const MAX_PROBLEMS = 30;

/**
 * `submit_check_result`: submits a check's result and ends it. Refuses a finding with invalid citations and lists the
 * problems: nobody is notified of something that the evidence does not support.
 */
export const submitCheckResult = defineTool({
  name: 'submit_check_result',
  description:
    'Hands in the result of the check and ends it. Each observation that is a finding gives the evidence numbers of tool results and excerpts copied from them character by character (they are checked by string search, so keep quotes and backslashes as they are, and do not join distant pieces). If you could not see what the instruction asks about, the status is "failed", never "ok".',
  input: InstructionResult,
  summarize: ({ status, summary }) => `Result: ${status}: ${summary}`,
  async run(result, context) {
    const problems = await resultProblems(result, context.evidence);
    if (problems.length > 0) {
      return errorOutput(
        `The result was not accepted: ${count(problems.length, 'problem')}. Correct them and submit again; drop an observation that cannot be corrected.`,
        { problems: problems.slice(0, MAX_PROBLEMS) },
      );
    }
    const { status, summary, observations } = result;
    const findings = observations.filter((observation) => isFinding(result, observation)).length;
    return jsonOutput({ accepted: true, status, findings }, `${status}: ${summary}`, {
      kind: 'finish',
      result: { ...result },
    });
  },
});
