/**
 * `npm run demo`: starts everything, with a shop beside it, breaks something in the shop, investigates the alert over
 * the public API and through a satellite, and shows the run and its report. Then it repairs the shop, has a monitoring
 * agent made, breaks something else, shows how the agent notices and what its investigation finds, and stays up.
 * Without a Prometheus to watch the shop with, or with `--recorded` or `--incident`, it investigates a recorded
 * incident instead.
 */
import pc from 'picocolors';
import { DEMO_INCIDENTS, readArguments, USAGE, type Wanted } from '../../demo/arguments.ts';
import {
  NoPrometheusError,
  questionAbout,
  startLiveShop,
  type LiveShop,
  type LiveShopStart,
} from '../../demo/live/index.ts';
import { agentHints, deleteEarlierAgents, letAgentNotice } from '../../demo/monitoring/index.ts';
import type { LiveCodeHost } from '../../demo/live/code-host.ts';
import { incidentAfter, type LiveIncident } from '../../demo/shop/incidents.ts';
import { investigate, type Concluded } from '../../demo/terminal/investigate.ts';
import { partLines } from '../../demo/terminal/parts.ts';
import { openRecommended, sayHowToMerge } from '../../demo/terminal/pull-request.ts';
import { showWaiting } from '../../demo/terminal/waiting.ts';
import { loadConfig } from '../rooms.ts';
import { messageOf } from '../platform/message-of.ts';
import { runningInstance } from '../embedded/instance.ts';
import { signInLink } from '../embedded/sign-in-link.ts';
import { describeRunning, startEverything, type Running } from '../embedded/up.ts';

const log = {
  info: (line: string) => console.error(pc.dim(`  ${line}`)),
  warn: (line: string) => console.error(pc.yellow(`  ${line}`)),
};

/** The shop beside a running Casebook; undefined if there is no Prometheus to watch it with. */
async function connectShop(
  start: LiveShopStart,
  running: Running,
  { codeHost: wantsHost }: Wanted,
): Promise<LiveShop | undefined> {
  try {
    const codeHost = wantsHost ? { adminDatabaseUrl: running.adminDatabaseUrl } : undefined;
    const shop = await showWaiting('Starting the shop and the satellite', () => start.connect(running, codeHost));
    console.error(`\n${partLines(shop).join('\n')}\n`);
    return shop;
  } catch (error) {
    if (!(error instanceof NoPrometheusError)) throw error;
    log.warn(`${error.message}.`);
    log.warn('Prometheus is missing, so the live shop cannot be monitored; investigating a recorded incident instead.');
    return undefined;
  }
}

/** Whether the report names the commit, and what it recommends cures the shop. */
async function cure(
  running: Running,
  { shop, host }: { shop: LiveShop; host: LiveCodeHost },
  { id, text }: Concluded,
  signal: AbortSignal,
): Promise<boolean> {
  const { commit } = host;
  const isNamed = commit !== undefined && text.includes(commit.slice(0, 7));
  console.log(
    `  ${isNamed ? pc.green('✓') : pc.red('✗')} The report ${isNamed ? 'names' : 'does not name'} the commit.`,
  );
  const number = await openRecommended(running, id, signal);
  await host.merge(number);
  await showWaiting('Merged and deployed; waiting for the alert to end', () => shop.untilCalm(signal));
  console.log(`  ${pc.green('✓')} The shop has recovered.`);
  return isNamed;
}

/** Breaks something, and waits until it would page someone. @returns the question */
async function breakSomething(shop: LiveShop, fault: LiveIncident, signal: AbortSignal): Promise<string> {
  await showWaiting('Watching the healthy shop', (update) =>
    shop.untilKnown(signal, (seconds, of) => update(`Watching the healthy shop: ${seconds} of ${of} s`)),
  );
  console.error(`  ${pc.red('✗')} ${fault.what} ${pc.dim('(hidden from the investigation)')}`);
  const alert = await showWaiting('Waiting for the alert', () => shop.cause(fault, signal));
  return questionAbout(alert);
}

/** Agents of an earlier demo on this home folder would see the faults too. */
async function forgetEarlierAgents(running: Running): Promise<void> {
  try {
    const count = await deleteEarlierAgents(running);
    if (count > 0) log.info('Deleted the monitoring agent of an earlier demo; this one creates its own.');
  } catch (error) {
    log.warn(`The monitoring agent of an earlier demo may still be there: ${messageOf(error)}`);
  }
}

/** The second half. It reports failures and leaves the rest up. */
async function monitor(
  running: Running,
  shop: LiveShop,
  first: LiveIncident,
  signal: AbortSignal,
): Promise<{ agentId?: string; openedId?: string; broken: LiveIncident; isFound: boolean }> {
  const second = incidentAfter(first);
  let agentId: string | undefined;
  try {
    const { concluded } = await letAgentNotice({ casebook: running, shop, signal }, { first, second }, ({ id }) => {
      agentId = id;
    });
    return { agentId, openedId: concluded.id, broken: second, isFound: isRight(concluded, second) };
  } catch (error) {
    signal.throwIfAborted();
    log.warn(`The agent did not notice a fault on its own: ${messageOf(error)}`);
    return { agentId, broken: second, isFound: false };
  }
}

/** Compares the report with what was broken, and prints the result. */
function isRight({ isReported, service }: Concluded, { service: broken }: LiveIncident): boolean {
  const right = isReported && service === broken;
  const verdict = right
    ? `${pc.green('✓')} Correct: ${broken} was broken.`
    : `${pc.red('✗')} ${broken} was broken; the report names ${service ?? 'no service'}.`;
  console.log(`\n  ${verdict}`);
  return right;
}

interface Shown {
  shop?: LiveShop;
  broken?: LiveIncident;
  investigationId?: string;
  agentId?: string;
  /** The investigation that the agent opened. */
  openedId?: string;
}

/** Where to see everything in a browser. The first link signs the browser in, which the others need. */
async function sayWhereToLook(running: Running, { investigationId, agentId, openedId }: Shown): Promise<void> {
  if (investigationId === undefined) return;
  const path = `/investigation/${investigationId}`;
  const link = await signInLink(running, path);
  console.error(`\n  ${pc.bold(pc.green('Open the investigation in a browser'))}`);
  console.error(`  ${pc.bold(link ?? running.appUrl + path)}`);
  if (link !== undefined) console.error(pc.dim('  One-time sign-in link, valid for 1 hour.'));
  const then = [
    ['The agent', agentId && `${running.appUrl}/monitoring/${agentId}`],
    ['What it found', openedId && `${running.appUrl}/investigation/${openedId}`],
  ];
  for (const [label = '', url] of then) if (url) console.error(`  ${label.padEnd(16)}${url}`);
}

function sayWhatElse(running: Running, shown: Shown): void {
  const { shop, broken, agentId } = shown;
  console.error(pc.dim(`\n  Everything keeps running. Ask your own question:\n`));
  console.error(
    `  curl -s ${running.apiUrl}/api/v1/investigate -H 'X-API-Key: ${running.apiKey}' -H 'Content-Type: application/json' \\\n` +
      `    -d '{"query": "checkout fails for many customers"}'\n`,
  );
  if (shop && broken && broken.kind !== 'commit') {
    const inject = (kind: string) =>
      `  curl -s ${shop.addresses[broken.service]}/fault -H 'Content-Type: application/json' -d '{"kind": "${kind}"}'\n`;
    console.error(
      pc.dim(
        agentId === undefined
          ? '  Stop the fault, or inject another into any service:\n'
          : '  Stop the fault, or inject another into any service; the agent detects both:\n',
      ),
    );
    console.error(`${inject('none')}${inject(broken.kind === 'cpu-burn' ? 'connection-leak' : 'cpu-burn')}`);
  }
  if (agentId !== undefined) {
    console.error(pc.dim('  The agent keeps watching. In another shell:\n'));
    for (const { command, what } of agentHints(running, agentId))
      console.error(`  ${what === '' ? command : `${command.padEnd(48)}${pc.dim(` # ${what}`)}`}`);
    console.error('');
  }
}

async function main(): Promise<void> {
  const config = loadConfig();
  const incidentsDir = config.sources.incidentsDir ?? DEMO_INCIDENTS;
  const wanted = readArguments(process.argv.slice(2), incidentsDir);
  const stopping = new AbortController();
  let running: Running | undefined;
  let live: LiveShopStart | undefined;
  let interrupted = false;
  const stop = async (): Promise<void> => {
    log.info('stopping (press Ctrl-C again to force) …');
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
        // During start-up, startEverything itself stops what it has started.
        if (running) void stop().finally(() => process.exit(130));
        else void live?.stop();
      }
    });
  }

  log.info(`starting Casebook (state in ${config.home}) …`);
  // Another instance on this home folder has its own shop; starting reports that instance.
  if (wanted.fault && !runningInstance(config.home)) live = startLiveShop({ home: config.home, log });
  try {
    const env = {
      CASEBOOK_INCIDENTS_DIR: incidentsDir,
      // The code host is on this machine.
      ...(wanted.codeHost && { CASEBOOK_OUTBOUND_ALLOW: [...config.outboundAllow, '127.0.0.1'].join(',') }),
    };
    running = await startEverything({ config, log, env, signal: stopping.signal });
  } catch (error) {
    await live?.stop();
    throw error;
  }
  console.error(describeRunning(running, config.home, { link: await signInLink(running) }));
  let shown: Shown = {};
  let isReported = false;
  let isFound = false;
  try {
    if (wanted.fault && wanted.monitor) await forgetEarlierAgents(running);
    const shop = live && (await connectShop(live, running, wanted));
    const fault = shop && wanted.fault;
    shown = { shop, broken: fault };
    const asked = fault ? await breakSomething(shop, fault, stopping.signal) : wanted.recorded;
    const concluded = await investigate(running, wanted.query ?? asked, stopping.signal);
    ({ isReported } = concluded);
    shown.investigationId = concluded.id;
    // A question from the user may be about anything.
    isFound = fault && wanted.query === undefined ? isRight(concluded, fault) : isReported;
    const host = shop?.codeHost;
    if (host && isReported && wanted.exit) isFound &&= await cure(running, { shop, host }, concluded, stopping.signal);
    if (fault && isReported && wanted.monitor) {
      const { isFound: isFoundByAgent, ...noticed } = await monitor(running, shop, fault, stopping.signal);
      shown = { ...shown, ...noticed };
      isFound &&= isFoundByAgent;
    } else if (!fault) log.info('No live shop: skipping the monitoring demo.');
  } catch (error) {
    if (interrupted) return;
    console.error(pc.red(`  ${messageOf(error)}`));
  }
  if (wanted.exit || !isReported) {
    await stop();
    process.exit(isFound ? 0 : 1);
  }
  sayWhatElse(running, shown);
  await sayWhereToLook(running, shown);
  if (shown.shop?.codeHost) sayHowToMerge(shown.shop.codeHost);
  console.error(`\n  ${pc.dim('Press Ctrl-C to stop.')}`);
}

try {
  if (process.argv.includes('--help')) console.log(`  ${USAGE}`);
  else await main();
} catch (error) {
  console.error(pc.red(`  ${messageOf(error)}`));
  console.error(pc.dim(`  ${USAGE}`));
  process.exit(1);
}
