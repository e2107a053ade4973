import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { birthOf, isAlive } from './process-table.ts';

const instanceRecord = z.object({
  pid: z.int().positive(),
  /** See {@link birthOf}: distinguishes the process from a later one with the same pid. */
  birth: z.string().optional(),
  apiUrl: z.string().optional(),
  temporalAddress: z.string().optional(),
  temporalUiUrl: z.string().optional(),
  /** Contains the password of the embedded database. */
  databaseUrl: z.string().optional(),
});

/** What a running instance publishes to other commands on the same machine; kept 0600 in `HOME/run/up.json`. */
export type InstanceRecord = z.infer<typeof instanceRecord>;

/** Another instance runs on the same home folder. */
export class AlreadyRunningError extends Error {
  override name = 'AlreadyRunningError';
  readonly pid: number;

  constructor(home: string, record: InstanceRecord) {
    const where = record.apiUrl === undefined ? '' : ` at ${record.apiUrl}`;
    super(
      `Casebook is already running from ${home} (pid ${record.pid})${where}. ` +
        `Stop it first, or give this one another folder: CASEBOOK_HOME=...`,
    );
    this.pid = record.pid;
  }
}

const recordPath = (home: string): string => join(home, 'run', 'up.json');

/** The instance that runs on this home folder now, if any. */
export function runningInstance(home: string): InstanceRecord | undefined {
  let record: InstanceRecord;
  try {
    record = instanceRecord.parse(JSON.parse(readFileSync(recordPath(home), 'utf8')));
  } catch {
    return undefined;
  }
  return isAlive(record.pid) && birthOf(record.pid) === record.birth ? record : undefined;
}

export interface Instance {
  /** Adds to what other commands can read. */
  publish(facts: Omit<InstanceRecord, 'pid' | 'birth'>): void;
  /** Releases the home folder. */
  release(): void;
}

/**
 * Claims a home folder for this process, creating it if needed.
 * @throws AlreadyRunningError when a living process holds it
 */
export function claimInstance(home: string): Instance {
  mkdirSync(join(home, 'run'), { recursive: true });
  // The database server may run as another user, who must be able to traverse it; secrets are 0600 each.
  chmodSync(home, 0o711);
  const path = recordPath(home);
  let record: InstanceRecord = { pid: process.pid, birth: birthOf(process.pid) };
  const write = (file: string, flag: 'w' | 'wx'): void =>
    writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flag });

  const running = runningInstance(home);
  if (running) throw new AlreadyRunningError(home, running);
  rmSync(path, { force: true });
  try {
    write(path, 'wx');
  } catch (error) {
    // Two started at the same moment; the other one won.
    const first = runningInstance(home);
    throw first ? new AlreadyRunningError(home, first) : error;
  }
  return {
    publish(facts) {
      record = { ...record, ...facts };
      write(`${path}.new`, 'w');
      renameSync(`${path}.new`, path);
    },
    release() {
      rmSync(path, { force: true });
    },
  };
}
