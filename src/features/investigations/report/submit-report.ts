import { z } from 'zod';
import { count, defineTool, errorOutput, jsonOutput } from '../../tools/index.ts';
import { findProblems } from './problems.ts';
import { reportSchema } from './schema.ts';

const MAX_PROBLEMS = 30;

const input = z.strictObject({
  ...reportSchema.shape,
  accept_unverified: z
    .boolean()
    .default(false)
    .describe('Submit although citations could not be verified; they will be marked. Only after a correction failed.'),
});

/**
 * `submit_report`: submits the report and ends the run. A report whose citations do not hold is refused with a list of
 * problems, so that the model can fix it; with `accept_unverified` it is accepted and marked by the checker.
 */
export const submitReport = defineTool({
  name: 'submit_report',
  description:
    'Submits the final report and ends the investigation. Every sentence that states a fact cites evidence as [n]; each citation gives the evidence number of a tool result and excerpts copied from it character by character (they are checked by string search, so keep quotes and backslashes as they are, and do not join distant pieces). Say what you do not know; confidence is a probability.',
  input,
  summarize: ({ title }) => `Submit report: ${title}`,
  async run({ accept_unverified: acceptUnverified, ...report }, context) {
    const problems = acceptUnverified ? [] : await findProblems(report, context.evidence);
    if (problems.length > 0) {
      return errorOutput(
        `The report was not accepted: ${count(problems.length, 'problem')}. Correct them and submit again; if one cannot be corrected, drop it, or submit with "accept_unverified": true to have it marked as unverified.`,
        { problems: problems.slice(0, MAX_PROBLEMS) },
      );
    }
    const { title, confidence } = report;
    return jsonOutput(
      { accepted: true, title, confidence },
      `Report (confidence ${Math.round(confidence * 100)} %): ${title}`,
      { kind: 'finish', result: { ...report } },
    );
  },
});
