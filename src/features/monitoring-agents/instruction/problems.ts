import { locateExcerpt } from '../../investigations/index.ts';
import { clip, isCitable, type EvidenceReader, type StoredEvidence } from '../../tools/index.ts';
import { isFinding, type InstructionResult } from './result.ts';

type Observation = InstructionResult['observations'][number];

/** Maximum results searched for one that shows real data. */
const MAX_TRIED = 30;
const QUOTED_CHARACTERS = 400;

/** All problems of a result, worded so that the model can fix them. */
export async function resultProblems(result: InstructionResult, reader: EvidenceReader): Promise<string[]> {
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
