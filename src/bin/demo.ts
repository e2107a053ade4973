/**
 * `npm run demo`: starts everything, investigates a recorded incident over the public API, shows the run and its
 * report, and stays up. `--exit` stops everything when the report is there. `--incident NAME` chooses the incident.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { followRun } from '../../demo/terminal/events.ts';
import { ProgressView } from '../../demo/terminal/progress.ts';
import { renderMarkdown } from '../../demo/terminal/report.ts';
import { loadConfig, type Config } from '../config.ts';
import { describeRunning, startEverything, type Running } from '../embedded/up.ts';

const DEFAULT_INCIDENT = 'checkout-errors';
const USAGE = 'Usage: npm run demo -- [--incident NAME] [--query TEXT] [--exit]';

const log = {
  info: (line: string) => console.error(pc.dim(`  ${line}`)),
  warn: (line: string) => console.error(pc.yellow(`  ${line}`)),
};

interface Wanted {
  exit: boolean;
  query: string;
}

function readArguments(config: Config): Wanted {
  const { values } = parseArgs({
    options: { exit: { type: 'boolean', default: false }, incident: { type: 'string' }, query: { type: 'string' } },
  });
  const names = readdirSync(config.sources.incidentsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const name = values.incident ?? DEFAULT_INCIDENT;
  if (values.query === undefined && !names.includes(name))
    throw new Error(`There is no incident "${name}". There are: ${names.join(', ')}`);
  return { exit: values.exit, query: values.query ?? questionAbout(join(config.sources.incidentsDir, name)) };
}

/** What the person who was paged would paste: the alert. */
function questionAbout(folder: string): string {
  const incident: { title: string; alerts: { name: string; at: string; summary: string }[] } = JSON.parse(
    readFileSync(join(folder, 'incident.json'), 'utf8'),
  );
  const [alert] = incident.alerts;
  if (!alert) return incident.title;
  return `${incident.title}. Alert ${alert.name} fired at ${alert.at}: ${alert.summary}. What is the root cause?`;
}

/** @returns whether there is a report */
async function investigate(running: Running, query: string, signal: AbortSignal): Promise<boolean> {
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

async function main(): Promise<void> {
  const config = loadConfig();
  const wanted = readArguments(config);
  const stopping = new AbortController();
  let running: Running | undefined;
  let interrupted = false;
  const stop = async (): Promise<void> => {
    log.info('stopping (again to stop at once) …');
    await running?.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interrupted) void running?.stopNow().finally(() => process.exit(130));
      else {
        interrupted = true;
        stopping.abort(new Error('interrupted'));
        // While things still start, startEverything itself stops what it has started.
        if (running) void stop().finally(() => process.exit(130));
      }
    });
  }

  log.info(`starting Casebook (state in ${config.home}) …`);
  running = await startEverything({ config, log, signal: stopping.signal });
  console.error(describeRunning(running, config.home));
  let found = false;
  try {
    found = await investigate(running, wanted.query, stopping.signal);
  } catch (error) {
    if (interrupted) return;
    console.error(pc.red(`  ${error instanceof Error ? error.message : String(error)}`));
  }
  if (wanted.exit || !found) {
    await stop();
    process.exit(found ? 0 : 1);
  }
  console.error(pc.dim(`\n  Everything stays up. Ask something of your own:\n`));
  console.error(
    `  curl -s ${running.apiUrl}/api/v1/investigate -H 'X-API-Key: ${running.apiKey}' -H 'Content-Type: application/json' \\\n` +
      `    -d '{"query": "checkout fails for many customers"}'\n\n  ${pc.dim('Ctrl-C stops it.')}`,
  );
}

try {
  await main();
} catch (error) {
  console.error(pc.red(`  ${error instanceof Error ? error.message : String(error)}`));
  console.error(pc.dim(`  ${USAGE}`));
  process.exit(1);
}
