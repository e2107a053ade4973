import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { registerSearchAttributes } from '../../temporal/connection.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { systemEnvironment } from '../config.ts';
import { freePort } from './free-port.ts';
import type { Log } from './log.ts';
import { silentLog } from './log.ts';
import { superviseAlone } from './supervisor.ts';
import type { ChildIdentity, ChildSpec, Supervised } from './supervisor.ts';
import { findTemporalBinary } from './temporal-binary.ts';
import { waitUntil } from './wait-until.ts';

const usualPort = 7233;
const usualUiPort = 8233;

export interface TemporalOptions {
  /** Path of a Temporal CLI, see {@link findTemporalBinary}. */
  binary: string;
  /** Folder of all embedded state; histories go to `HOME/temporal/temporal.db`. */
  home: string;
  log?: Log;
  /** Preferred ports; 7233 and 8233 by default. If one is busy a free one is used. */
  ports?: { grpc?: number; ui?: number };
  namespace?: string;
}

const databaseFile = (home: string): string => join(home, 'temporal', 'temporal.db');
const readyFile = (home: string): string => join(home, 'temporal', 'ready');

/** How to recognise and stop the embedded Temporal server of a home folder. */
export function temporalIdentity(home: string): ChildIdentity {
  return {
    name: 'temporal',
    marks: [`--db-filename\n${databaseFile(home)}\n`],
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
  };
}

/**
 * Clears a database whose first start was interrupted: the server creates the schema only if the file is absent, so a
 * partial one would never work.
 */
function clearHalfMade(home: string): void {
  mkdirSync(join(home, 'temporal'), { recursive: true, mode: 0o700 });
  if (existsSync(readyFile(home))) return;
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(databaseFile(home) + suffix, { force: true });
}

/** Resolves once the frontend serves the namespace and knows our search attributes. */
async function untilReady(address: string, namespace: string, home: string, signal: AbortSignal): Promise<void> {
  await waitUntil(
    async () => {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 });
      try {
        return await connection.withDeadline(Date.now() + 2_000, async () => {
          await connection.workflowService.describeNamespace({ namespace });
          const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
          if (searchAttributes.every(({ name }) => name in (customAttributes ?? {}))) return true;
          // The command line adds them to a new database only.
          await registerSearchAttributes(connection, namespace);
          return undefined;
        });
      } finally {
        await connection.close();
      }
    },
    { what: `Temporal at ${address}`, timeoutMs: 60_000, intervalMs: 100, signal },
  );
  writeFileSync(readyFile(home), '');
}

/** Returns how to run the embedded Temporal server of a home folder and where it will listen. */
export async function temporalChild(
  options: TemporalOptions,
): Promise<{ spec: ChildSpec; address: string; uiUrl: string }> {
  const { binary, home, ports = {}, namespace = 'default' } = options;
  const port = await freePort(ports.grpc ?? usualPort);
  const uiPort = await freePort(ports.ui ?? usualUiPort);
  const address = `127.0.0.1:${port}`;
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)];
  args.push('--db-filename', databaseFile(home), '--namespace', namespace, '--log-format', 'json');
  for (const { name, type } of searchAttributes)
    args.push('--search-attribute', `${name}=${type.charAt(0)}${type.slice(1).toLowerCase()}`);
  // By default one query waits at most while a workflow task runs; the next one fails. Several people may look at once.
  args.push('--dynamic-config-value', 'history.MaxBufferedQueryCount=16');
  // Delivers an activity with the response to the workflow task that schedules it, rather than to another poll.
  args.push('--dynamic-config-value', 'system.enableActivityEagerExecution=true');
  // A write-ahead log synced at checkpoints: a killed server loses nothing, and commits need no disk flush.
  args.push('--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL');
  return {
    address,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    spec: {
      ...temporalIdentity(home),
      command: binary,
      args,
      env: systemEnvironment(),
      prepare: async () => clearHalfMade(home),
      ready: (signal) => untilReady(address, namespace, home, signal),
    },
  };
}

/**
 * Starts a standalone embedded Temporal server, restarted on the same ports when it dies.
 * @returns its address (`host:port`), the URL of its UI and the running server
 */
export async function startTemporalServer(
  options: TemporalOptions,
): Promise<Supervised & { address: string; uiUrl: string }> {
  const { home, log = silentLog } = options;
  const { spec, address, uiUrl } = await temporalChild(options);
  return Object.assign(await superviseAlone(spec, { home, log }), { address, uiUrl });
}

/** {@link findTemporalBinary} for test set-ups, which have no home folder yet: only the user's cache is used. */
export async function ensureTemporalBinary(log: Log): Promise<string> {
  const { homedir } = await import('node:os');
  return findTemporalBinary({ home: join(homedir(), '.cache', 'casebook'), log });
}
