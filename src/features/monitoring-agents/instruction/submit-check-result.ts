import { count, defineTool, errorOutput, jsonOutput } from '../../tools/index.ts';
import { resultProblems } from './problems.ts';
import { InstructionResult, isFinding } from './result.ts';

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
