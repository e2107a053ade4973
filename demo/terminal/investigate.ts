import pc from 'picocolors';
import { z } from 'zod';
import { callApi, headersOf, type CasebookAddress } from '../casebook-api.ts';
import { followRun } from './events.ts';
import { ProgressView } from './progress.ts';
import { renderMarkdown } from './report.ts';

const started = z.object({ investigation_id: z.string() });
const ended = z.object({ status: z.string(), investigation_text: z.string().nullable() });
const detail = z.object({
  report: z.object({ root_cause: z.object({ service: z.string().nullable() }) }).nullable(),
  temporal: z.object({ url: z.string().nullable() }),
  usage: z.object({ model: z.string().nullable(), cost: z.number() }),
});

/** The outcome of an investigation. */
export interface Concluded {
  /** Of the investigation. */
  id: string;
  /** Whether there is a report. */
  isReported: boolean;
  /** The service that the report names as the cause. */
  service?: string;
  /** The report, as Markdown. */
  text: string;
}

/** Asks a question over the public API, shows the run while it happens, and prints the report. */
export async function investigate(casebook: CasebookAddress, query: string, signal: AbortSignal): Promise<Concluded> {
  console.error(`\n  ${pc.bold('Question')}  ${query}\n`);
  const answer = await callApi(casebook, 'POST', '/api/v1/investigate', { body: { query }, signal });
  return followInvestigation(casebook, started.parse(answer).investigation_id, signal);
}

/** Shows an investigation live, whoever opened it, and prints its report. */
export async function followInvestigation(
  casebook: CasebookAddress,
  id: string,
  signal: AbortSignal,
): Promise<Concluded> {
  const { apiUrl } = casebook;
  const progress = new ProgressView();
  try {
    for await (const event of followRun(`${apiUrl}/api/investigations/${id}/events`, headersOf(casebook), signal))
      progress.show(event);
  } finally {
    progress.stop();
  }
  const result = ended.parse(await callApi(casebook, 'GET', `/api/v1/investigations/${id}`, { signal }));
  const { report, temporal, usage } = detail.parse(
    await callApi(casebook, 'GET', `/api/investigations/${id}`, { signal }),
  );
  const text = result.investigation_text ?? '';
  console.log(`\n${renderMarkdown(text)}\n`);
  const links = [
    ['Status', result.status],
    ['Investigation', `${apiUrl}/api/investigations/${id}`],
    ['Temporal run', temporal.url ?? 'no Temporal UI is configured'],
    ['Model', `${usage.model ?? 'none'}, $${usage.cost.toFixed(2)}`],
  ];
  for (const [label = '', value = ''] of links) console.log(`  ${pc.bold(label.padEnd(14))} ${value}`);
  return {
    id,
    isReported: result.status === 'completed' && text.trim() !== '',
    service: report?.root_cause.service ?? undefined,
    text,
  };
}
