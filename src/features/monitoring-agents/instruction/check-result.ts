/** A submitted result, in the form that every check has. */
import { clip, oneLine } from '../../tools/index.ts';
import type { CheckEvidence, CheckResult } from '../checks/port.ts';
import { isFinding, type InstructionResult } from './submit-check-result.ts';

const SUMMARY_CHARACTERS = 200;
const EXCERPT_CHARACTERS = 800;
const MAX_EVIDENCE = 20;
const MAX_EXCERPTS = 20;

/** A tool call that observations cite. */
interface CitedCall {
  id: string;
  evidence: number;
  name: string;
  summary: string;
}

/** @param cited the calls that the observations cite */
export function checkResultOf(handedIn: InstructionResult, cited: readonly CitedCall[]): CheckResult {
  const { status, summary, observations } = handedIn;
  return {
    status,
    summary: oneLine(summary, SUMMARY_CHARACTERS),
    observations: observations
      .map((observation) => ({
        subject: observation.subject,
        isFinding: isFinding(handedIn, observation),
        text: oneLine(observation.text, 1_000),
        ...(observation.service !== undefined && { service: observation.service }),
      }))
      // Findings first: the list is bounded.
      .toSorted((a, b) => Number(b.isFinding) - Number(a.isFinding)),
    evidence: cited.slice(0, MAX_EVIDENCE).map((call) => evidenceOf(call, handedIn)),
  };
}

function evidenceOf({ id, evidence, name, summary }: CitedCall, { observations }: InstructionResult): CheckEvidence {
  const citing = observations.filter((observation) => observation.evidence.includes(evidence));
  const excerpts = citing.flatMap((observation) => observation.excerpts).slice(0, MAX_EXCERPTS);
  return {
    source: name,
    question: summary,
    answer: {
      tool_call_id: id,
      result_url: `/api/tool-results/${id}`,
      evidence,
      excerpts: excerpts.map((excerpt) => clip(excerpt, EXCERPT_CHARACTERS)),
    },
  };
}
