/**
 * `npm run demo`: starts everything and a shop beside it, breaks something in the shop, investigates the alert over the
 * public API and through a satellite, shows the run and its report, and stays up. Where there is no Prometheus to watch
 * the shop with, it investigates a recorded incident instead, as `--recorded` and `--incident` ask for.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import {
  NoPrometheusError,
  questionAbout,
  startLiveShop,
  type LiveShop,
  type LiveShopStart,
} from '../../demo/live/index.ts';
import { liveIncidents, type LiveIncident } from '../../demo/shop/incidents.ts';
import { investigate } from '../../demo/terminal/investigate.ts';
import { showWaiting } from '../../demo/terminal/waiting.ts';
import { loadConfig, type Config } from '../config.ts';
import { runningInstance } from '../embedded/instance.ts';
import { describeRunning, startEverything, type Running } from '../embedded/up.ts';

const DEFAULT_FAULT = 'connection-leak';
const DEFAULT_INCIDENT = 'checkout-errors';
const USAGE =
  'Usage: npm run demo -- [--fault NAME] [--query TEXT] [--exit]\n' +
  '  or:  npm run demo -- --recorded [--incident NAME] [--query TEXT] [--exit]\n' +
  `  Faults: ${Object.keys(liveIncidents).join(', ')}`;

const log = {
  info: (line: string) => console.error(pc.dim(`  ${line}`)),
  warn: (line: string) => console.error(pc.yellow(`  ${line}`)),
};

interface Wanted {
  exit: boolean;
  /** Undefined: a recorded incident is investigated. */
  fault?: LiveIncident;
  query?: string;
  /** What is asked about the recorded incident. */
  recorded: string;
}

function readArguments(config: Config): Wanted {
  const { values } = parseArgs({
    options: {
      exit: { type: 'boolean', default: false },
      fault: { type: 'string' },
      recorded: { type: 'boolean', default: false },
      incident: { type: 'string' },
      query: { type: 'string' },
    },
  });
  const { exit, query } = values;
  const names = readdirSync(config.sources.incidentsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const incident = values.incident ?? DEFAULT_INCIDENT;
  if (values.incident !== undefined && !names.includes(incident))
    throw new Error(`There is no incident "${incident}". There are: ${names.join(', ')}`);
  const recorded = query ?? questionAboutRecorded(join(config.sources.incidentsDir, incident));
  if (values.recorded || values.incident !== undefined) {
    if (values.fault !== undefined) throw new Error('A recorded incident has its fault already: leave out --fault.');
    return { exit, query, recorded };
  }
  const name = values.fault ?? DEFAULT_FAULT;
  const fault = Object.hasOwn(liveIncidents, name) ? liveIncidents[name] : undefined;
  if (!fault) throw new Error(`There is no fault "${name}".`);
  return { exit, query, recorded, fault };
}

/** What the person who was paged would paste: the alert. */
function questionAboutRecorded(folder: string): string {
  const incident: { title: string; alerts: { name: string; at: string; summary: string }[] } = JSON.parse(
    readFileSync(join(folder, 'incident.json'), 'utf8'),
  );
  const [alert] = incident.alerts;
  if (!alert) return incident.title;
  return `${incident.title}. Alert ${alert.name} fired at ${alert.at}: ${alert.summary}. What is the root cause?`;
}

/** The shop beside a running Casebook; undefined when there is nothing to watch it with. */
async function connectShop(start: LiveShopStart, running: Running): Promise<LiveShop | undefined> {
  try {
    const shop = await showWaiting('The shop, Prometheus, Loki and the satellite', () => start.connect(running));
    console.error(`\n  ${'Shop'.padEnd(16)}${shop.addresses.storefront}`);
    console.error(`  ${'Prometheus'.padEnd(16)}${shop.prometheusUrl}`);
    console.error(`  ${'Loki'.padEnd(16)}${shop.lokiUrl ?? 'none, so there are no logs'}\n`);
    return shop;
  } catch (error) {
    if (!(error instanceof NoPrometheusError)) throw error;
    log.warn(`${error.message}.`);
    log.warn('Without Prometheus nobody sees how the live shop fares: a recorded incident is investigated instead.');
    return undefined;
  }
}

/** Breaks something, and waits until somebody would be paged. @returns the question */
async function breakSomething(shop: LiveShop, fault: LiveIncident, signal: AbortSignal): Promise<string> {
  await showWaiting('Watching the healthy shop', (update) =>
    shop.untilKnown(signal, (seconds, of) => update(`Watching the healthy shop: ${seconds} of ${of} s`)),
  );
  console.error(`  ${pc.red('✗')} ${fault.what} ${pc.dim('(the investigation is not told)')}`);
  const alert = await showWaiting('Waiting for the alert', () => shop.cause(fault, signal));
  return questionAbout(alert);
}

function sayWhatElse(running: Running, shop: LiveShop | undefined, fault: LiveIncident | undefined): void {
  console.error(pc.dim(`\n  Everything stays up. Ask something of your own:\n`));
  console.error(
    `  curl -s ${running.apiUrl}/api/v1/investigate -H 'X-API-Key: ${running.apiKey}' -H 'Content-Type: application/json' \\\n` +
      `    -d '{"query": "checkout fails for many customers"}'\n`,
  );
  if (shop && fault) {
    const inject = (kind: string) =>
      `  curl -s ${shop.addresses[fault.service]}/fault -H 'Content-Type: application/json' -d '{"kind": "${kind}"}'\n`;
    console.error(pc.dim('  End the fault, or begin another one in any service of the shop:\n'));
    console.error(`${inject('none')}${inject(fault.kind === 'cpu-burn' ? 'connection-leak' : 'cpu-burn')}`);
  }
  console.error(`  ${pc.dim('Ctrl-C stops it.')}`);
}

async function main(): Promise<void> {
  const config = loadConfig();
  const wanted = readArguments(config);
  const stopping = new AbortController();
  let running: Running | undefined;
  let live: LiveShopStart | undefined;
  let interrupted = false;
  const stop = async (): Promise<void> => {
    log.info('stopping (again to stop at once) …');
    await live?.stop();
    await running?.stop();
  };
  const stopNow = () => Promise.all([live?.stopNow(), running?.stopNow()]);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interrupted) void stopNow().finally(() => process.exit(130));
      else {
        interrupted = true;
        stopping.abort(new Error('interrupted'));
        // While things still start, startEverything itself stops what it has started.
        if (running) void stop().finally(() => process.exit(130));
        else void live?.stop();
      }
    });
  }

  log.info(`starting Casebook (state in ${config.home}) …`);
  // Another instance on this home folder has a shop of its own; starting says that it is there.
  if (wanted.fault && !runningInstance(config.home)) live = startLiveShop({ home: config.home, log });
  try {
    running = await startEverything({ config, log, signal: stopping.signal });
  } catch (error) {
    await live?.stop();
    throw error;
  }
  console.error(describeRunning(running, config.home));
  let found = false;
  let shop: LiveShop | undefined;
  try {
    shop = live && (await connectShop(live, running));
    const asked = shop && wanted.fault ? await breakSomething(shop, wanted.fault, stopping.signal) : wanted.recorded;
    found = await investigate(running, wanted.query ?? asked, stopping.signal);
  } catch (error) {
    if (interrupted) return;
    console.error(pc.red(`  ${error instanceof Error ? error.message : String(error)}`));
  }
  if (wanted.exit || !found) {
    await stop();
    process.exit(found ? 0 : 1);
  }
  sayWhatElse(running, shop, wanted.fault);
}

try {
  await main();
} catch (error) {
  console.error(pc.red(`  ${error instanceof Error ? error.message : String(error)}`));
  console.error(pc.dim(`  ${USAGE}`));
  process.exit(1);
}
