import pc from 'picocolors';
import { followRun } from './events.ts';
import { ProgressView } from './progress.ts';
import { renderMarkdown } from './report.ts';

/**
 * Asks a question over the public API, shows the run while it happens, and prints the report.
 * @returns whether there is a report
 */
export async function investigate(
  running: { apiUrl: string; apiKey: string },
  query: string,
  signal: AbortSignal,
): Promise<boolean> {
  const headers = { 'x-api-key': running.apiKey, 'content-type': 'application/json' };
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const response = await fetch(running.apiUrl + path, { ...init, headers, signal });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own API, whose responses pass their schemas
    return (await response.json()) as T;
  };
  console.error(`\n  ${pc.bold('Question')}  ${query}\n`);
  const started = await call<{ investigation_id: string }>('/api/v1/investigate', {
    method: 'POST',
    body: JSON.stringify({ query }),
  });
  const id = started.investigation_id;
  const progress = new ProgressView();
  try {
    for await (const event of followRun(`${running.apiUrl}/api/investigations/${id}/events`, headers, signal))
      progress.show(event);
  } finally {
    progress.stop();
  }
  const result = await call<{ status: string; investigation_text: string | null }>(`/api/v1/investigations/${id}`);
  const detail = await call<{ temporal: { url: string | null }; usage: { model: string | null; cost: number } }>(
    `/api/investigations/${id}`,
  );
  console.log(`\n${renderMarkdown(result.investigation_text ?? '')}\n`);
  const links = [
    ['Status', result.status],
    ['Investigation', `${running.apiUrl}/api/investigations/${id}`],
    ['Temporal run', detail.temporal.url ?? 'no Temporal UI is configured'],
    ['Model', `${detail.usage.model ?? 'none'}, $${detail.usage.cost.toFixed(2)}`],
  ];
  for (const [label = '', value = ''] of links) console.log(`  ${pc.bold(label.padEnd(14))} ${value}`);
  return result.status === 'completed' && (result.investigation_text ?? '').trim() !== '';
}
