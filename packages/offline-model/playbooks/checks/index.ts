/**
 * The playbook of a check that carries out an instruction: looks at the metrics, logs, changes and alerts it names, and
 * submits what they show. It reports what it could not look at, and never calls that ok.
 */
import type { Playbook, Turn } from '../../decide.ts';
import { call } from '../calls.ts';
import { looksOf, nextLooks, openingOf } from './looks.ts';
import { resultOf } from './result.ts';
import { openCase, wasCalled } from '../investigation/case-file.ts';

const SUBMIT = 'submit_check_result';
const MAX_SUBMISSIONS = 3;
const MAX_TURNS = 7;

export const check: Playbook = {
  fits: ({ offered }) => offered.has(SUBMIT),
  play(situation) {
    const { transcript, tools, isConcluding } = situation;
    const submissions = transcript.calls.filter(({ tool }) => tool === SUBMIT);
    if (submissions.some(({ isError }) => !isError)) return { text: 'Result submitted.', calls: [] };
    const opening = openingOf(transcript.opening);
    if (opening.instruction === '')
      return submit({ status: 'failed', summary: 'There is no instruction to carry out.', observations: [] });
    const file = openCase(transcript.calls);
    const can = (tool: string): boolean => tools.has(tool);
    const mayLook = !isConcluding && submissions.length === 0 && transcript.turn < MAX_TURNS;
    if (mayLook && can('list_sources') && !wasCalled(file, 'list_sources')) {
      return { text: 'Listing the telemetry sources.', calls: [call('list_sources', {})] };
    }
    const looks = looksOf(file, opening);
    const calls = mayLook ? nextLooks(file, looks, can) : [];
    if (calls.length > 0) return { text: 'Querying what the instruction names.', calls };
    const result = resultOf(file, looks);
    if (submissions.length === 0) return submit(result);
    if (submissions.length >= MAX_SUBMISSIONS) {
      return { text: 'The result was not accepted.', calls: [] };
    }
    // Without evidence it is neither a finding nor ok.
    return submit({
      status: 'failed',
      summary: `No evidence could be cited: ${result.summary}`.slice(0, 500).toWellFormed(),
      observations: [],
    });
  },
};

function submit(result: object): Turn {
  return { text: 'Submitting the result.', calls: [call(SUBMIT, { ...result })] };
}
