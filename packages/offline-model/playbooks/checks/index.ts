/**
 * The playbook of a check that carries out an instruction: looks at what the instruction names (metrics, logs, changes,
 * alerts), and hands in what that shows. What could not be looked at is said, and never called ok.
 */
import type { Playbook, Turn } from '../../decide.ts';
import { call } from '../investigation/gather.ts';
import { openCase, wasCalled } from '../investigation/case-file.ts';
import { looksOf, nextLooks } from './looks.ts';
import { openingOf } from './opening.ts';
import { resultOf } from './result.ts';

const SUBMIT = 'submit_check_result';
const MOST_SUBMISSIONS = 3;
/** Turns with calls before the result is due. */
const MOST_TURNS = 7;

export const check: Playbook = {
  name: 'check',
  fits: ({ offered }) => offered.has(SUBMIT),
  play(situation) {
    const { transcript, tools, forcedTool } = situation;
    if (forcedTool !== undefined && forcedTool !== SUBMIT)
      return { text: '', calls: [{ name: forcedTool, input: {} }] };
    const submissions = transcript.calls.filter(({ tool }) => tool === SUBMIT);
    if (submissions.some(({ isError }) => !isError)) return { text: 'The result is handed in.', calls: [] };
    const opening = openingOf(situation);
    if (!opening || opening.instruction === '')
      return submit({
        status: 'failed',
        summary: 'There is no instruction that says what is to be checked.',
        observations: [],
      });
    const file = openCase(transcript);
    const can = (tool: string): boolean => tools.has(tool);
    const mayLook = forcedTool === undefined && submissions.length === 0 && transcript.turn < MOST_TURNS;
    if (mayLook && can('list_sources') && !wasCalled(file, 'list_sources')) {
      return { text: 'I look at which telemetry sources there are.', calls: [call('list_sources', {})] };
    }
    const looks = looksOf(file, opening);
    const calls = mayLook ? nextLooks(file, looks, can) : [];
    if (calls.length > 0) return { text: 'I look at what the instruction is about.', calls };
    const result = resultOf(file, looks, opening);
    if (submissions.length === 0) return submit(result);
    if (submissions.length >= MOST_SUBMISSIONS) {
      return { text: 'The result was not accepted, and I know no other way to write it.', calls: [] };
    }
    // Nobody is to be told of what the evidence does not hold; what is left of it cannot be called ok.
    return submit({
      status: 'failed',
      summary: `What I saw could not be cited: ${result.summary}`.slice(0, 500).toWellFormed(),
      observations: [],
    });
  },
};

function submit(result: object): Turn {
  return { text: 'I hand in the result.', calls: [call(SUBMIT, { ...result })] };
}
