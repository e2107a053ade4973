/** Rules for every check's result: bounds, storable text, findings first. */
import { storableJson, storableText } from '../../../platform/storable.ts';
import { count, oneLine } from '../../tools/index.ts';
import { stableName } from './figures.ts';
import { MAX_OBSERVATIONS, type CheckEvidence, type CheckResult, type Observation } from './port.ts';

const SUMMARY_CHARACTERS = 200;
const TEXT_CHARACTERS = 300;
const UNIT_CHARACTERS = 30;
const QUESTION_CHARACTERS = 500;
const EVIDENCE_CHARACTERS = 32_000;

/** A check without a result: `reason` tells an operator why. */
export function failed(reason: string, evidence: CheckEvidence[] = []): CheckResult {
  return { status: 'failed', summary: line(reason, SUMMARY_CHARACTERS), observations: [], evidence };
}

interface Judged {
  observations: Observation[];
  evidence: CheckEvidence[];
  /** The unit of counting: `['service', 'services']`. */
  noun: readonly [one: string, several: string];
  /** Further facts for operators: series without data, lines that could not be read. */
  notes?: string[];
  /** Replaces "all as usual" when nothing is found. */
  quiet?: string;
  /** More subjects exist that could not be judged. */
  isPartial?: boolean;
}

/** Too little history to know what is usual: not a fault, and no statement about earlier findings. */
export function learningResult(summary: string, evidence: CheckEvidence[]): CheckResult {
  return { status: 'ok', summary, observations: [], evidence, isPartial: true };
}

/**
 * A result from its observations: `finding` if any of them is one. Merges the observations of one subject (a finding
 * wins), sorts findings first and otherwise keeps the given order, and keeps at most {@link MAX_OBSERVATIONS}.
 */
export function judged({ observations, evidence, noun, notes = [], quiet, isPartial }: Judged): CheckResult {
  const bySubject = new Map<string, Observation>();
  for (const observation of observations.map(bounded)) {
    const known = bySubject.get(observation.subject);
    if (!known || (observation.isFinding && !known.isFinding)) bySubject.set(observation.subject, observation);
  }
  const all = [...bySubject.values()];
  const findings = all.filter(({ isFinding }) => isFinding);
  const others = all.filter(({ isFinding }) => !isFinding);
  const [first] = findings;
  const said = first
    ? [all.length === 1 ? first.text : `${findings.length} of ${count(all.length, ...noun)}: ${first.text}`]
    : [quiet ?? (all.length === 1 ? all[0]!.text : `${count(all.length, ...noun)}, nothing found`)];
  return {
    status: first ? 'finding' : 'ok',
    // A long finding must not cut off the further facts.
    summary: withNotes(said[0]!, notes),
    observations: [...findings, ...others].slice(0, MAX_OBSERVATIONS),
    evidence,
    ...((isPartial || all.length > MAX_OBSERVATIONS) && { isPartial: true }),
  };
}

/**
 * The answer of a piece of evidence within its bound.
 * @param answer builds it from a given number of its items; the number is lowered until the answer fits
 */
export function evidenceOf(
  source: string,
  question: string,
  items: number,
  answer: (most: number) => Record<string, unknown>,
): CheckEvidence {
  const piece = (value: unknown): CheckEvidence => ({
    source: line(source, SUMMARY_CHARACTERS),
    question: line(question, QUESTION_CHARACTERS),
    answer: value,
  });
  for (let most = items; most > 0; most = Math.floor(most / 2)) {
    const made = storableJson(answer(most));
    if (JSON.stringify(made).length <= EVIDENCE_CHARACTERS) return piece(made);
  }
  const none = storableJson(answer(0));
  return piece(JSON.stringify(none).length <= EVIDENCE_CHARACTERS ? none : null);
}

function withNotes(said: string, notes: readonly string[]): string {
  const noted = notes.length === 0 ? '' : ` (${line(notes.join('; '), 80)})`;
  return line(said, SUMMARY_CHARACTERS - noted.length) + noted;
}

function bounded({ subject, isFinding, text, service, value, expected, unit }: Observation): Observation {
  return {
    subject: stableName(subject),
    isFinding,
    text: line(text, TEXT_CHARACTERS),
    ...(service && { service: stableName(service) }),
    ...(Number.isFinite(value) && { value }),
    ...(Number.isFinite(expected) && { expected }),
    ...(unit && { unit: line(unit, UNIT_CHARACTERS) }),
  };
}

const line = (text: string, limit: number): string => oneLine(storableText(text), limit);
