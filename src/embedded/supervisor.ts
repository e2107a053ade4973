import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../platform/message-of.ts';
import { openChildLog, tailOfChildLog } from './child-log.ts';
import type { Log } from './log.ts';
import { readPidFile, removePidFile, writePidFile, describeProcess, isAlive, stopProcess } from './process-table.ts';

/** How to recognise and stop a child, including one that an earlier, killed supervisor left behind. */
export interface ChildIdentity {
  /** Name of its pid file and log. */
  name: string;
  /** Texts that its command line or environment contains, enough to tell it from any other process. */
  marks: readonly string[];
  stopSignal: NodeJS.Signals;
  /** Sent when it does not stop in time; SIGKILL by default. */
  forceSignal?: NodeJS.Signals;
  stopTimeoutMs: number;
}

/** A process that is kept running. Its command and arguments, hence its ports, are the same at every restart. */
export interface ChildSpec extends ChildIdentity {
  command: string;
  args: readonly string[];
  /** Complete environment; inherited if absent. */
  env?: Record<string, string | undefined>;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Runs before every start, for instance to clear what a crash left behind. */
  prepare?: () => Promise<void>;
  /** Resolves once the child is usable. */
  ready: (signal: AbortSignal) => Promise<void>;
}

export interface Supervisor {
  /**
   * Starts a child and waits until it is ready.
   * @throws Error with the end of its log if it exits before it is first ready
   */
  start(spec: ChildSpec): Promise<void>;
  /** The pid of a running child. */
  pid(name: string): number | undefined;
  /** Stops every child in the given order, each within its own time limit. Idempotent. */
  stop(): Promise<void>;
  /** Stops every child at once and by force. */
  stopNow(): Promise<void>;
}

interface Child {
  spec: ChildSpec;
  process?: ChildProcess;
  startedAt: number;
  /** Consecutive starts that did not last. */
  failures: number;
}

const minBackoffMs = 100;
const maxBackoffMs = 5_000;
const lastedMs = 10_000;

/** Stops a child that an earlier supervisor left running. Returns its pid if there was one. */
export async function stopLeftover(home: string, identity: ChildIdentity): Promise<number | undefined> {
  const { name, marks, stopSignal, forceSignal, stopTimeoutMs } = identity;
  const pid = readPidFile(home, name);
  if (pid === undefined) return undefined;
  const found = isAlive(pid) && ((seen) => marks.every((mark) => seen.includes(mark)))(describeProcess(pid));
  if (found) await stopProcess(pid, { signal: stopSignal, timeoutMs: stopTimeoutMs, forceSignal });
  removePidFile(home, name, pid);
  return found ? pid : undefined;
}

/**
 * Keeps named children running, each a separate process with its pid in `HOME/run/NAME.pid` and its output in
 * `HOME/log/NAME.log`. A child that dies is restarted after a short pause, which grows to 5 s if it keeps dying at
 * once. Children do not receive the terminal's Ctrl-C: we control the order in which they stop.
 * @param stopOrder names in stop order; a child that is not named stops before all of them
 */
export function createSupervisor(options: { home: string; log: Log; stopOrder?: readonly string[] }): Supervisor {
  const { home, log, stopOrder = [] } = options;
  const children = new Map<string, Child>();
  const ended = new AbortController();
  const reaper = startReaper();
  let stopping: Promise<void> | undefined;

  const inStopOrder = (): Child[] =>
    [...children.values()].toSorted((a, b) => stopOrder.indexOf(a.spec.name) - stopOrder.indexOf(b.spec.name));

  const updateReaper = (): void => {
    const running = inStopOrder().flatMap(({ process: p, spec }) =>
      p?.pid ? [{ pid: p.pid, signal: spec.stopSignal }] : [],
    );
    reaper.watch(running);
  };

  /** Starts the process once. The promise resolves when it exits, and never rejects. */
  const launch = async (child: Child): Promise<{ exited: Promise<string> }> => {
    const { spec } = child;
    await spec.prepare?.();
    ended.signal.throwIfAborted();
    const output = openChildLog(home, spec.name);
    const launched = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      uid: spec.uid,
      gid: spec.gid,
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const { pid } = launched;
    if (pid !== undefined) {
      child.process = launched;
      child.startedAt = performance.now();
      writePidFile(home, spec.name, pid);
      updateReaper();
    }
    const exited = new Promise<string>((resolve) => {
      const end = (reason: string): void => {
        child.process = undefined;
        if (pid !== undefined) removePidFile(home, spec.name, pid);
        updateReaper();
        resolve(reason);
      };
      launched.once('error', (error) => end(`could not start: ${error.message}`));
      launched.once('exit', (code, signal) => end(signal ? `was killed by ${signal}` : `exited with ${code}`));
    });
    return { exited };
  };

  /** Restarts a child whenever it exits, until the supervisor stops. */
  const keepRunning = async (child: Child, first: Promise<string>): Promise<void> => {
    const { name } = child.spec;
    let reason = await first;
    while (!ended.signal.aborted) {
      if (performance.now() - child.startedAt > lastedMs) child.failures = 0;
      const pause = Math.min(minBackoffMs * 2 ** child.failures, maxBackoffMs);
      child.failures += 1;
      log.warn(`${name} ${reason}; restarting it`);
      // A child that keeps dying at once has most likely logged why.
      if (child.failures === 2) log.warn(tailOfChildLog(home, name).replace(/^/gm, '    '));
      await delay(pause, undefined, { signal: ended.signal }).catch(() => undefined);
      if (ended.signal.aborted) return;
      try {
        const { exited } = await launch(child);
        const readiness = new AbortController();
        const back = child.spec.ready(AbortSignal.any([readiness.signal, ended.signal])).then(
          () => log.info(`${name} is back (pid ${child.process?.pid})`),
          () => undefined,
        );
        reason = await exited;
        readiness.abort();
        await back;
      } catch (error) {
        reason = `could not start: ${messageOf(error)}`;
      }
    }
  };

  const stopChild = async (child: Child, force: boolean): Promise<void> => {
    const { stopSignal, forceSignal = 'SIGKILL', stopTimeoutMs, name } = child.spec;
    const pid = child.process?.pid;
    if (pid === undefined) return;
    const how = force
      ? await stopProcess(pid, { signal: forceSignal, timeoutMs: 3_000 })
      : await stopProcess(pid, { signal: stopSignal, timeoutMs: stopTimeoutMs, forceSignal });
    if (how === 'forced' && !force) log.warn(`${name} did not stop within ${stopTimeoutMs / 1000} s and was killed`);
    removePidFile(home, name, pid);
  };

  const finish = (): void => {
    reaper.watch([]);
    reaper.close();
  };

  return {
    async start(spec) {
      const leftover = await stopLeftover(home, spec);
      if (leftover !== undefined) log.info(`stopped ${spec.name} (pid ${leftover}) of an earlier run`);
      const child: Child = { spec, startedAt: 0, failures: 0 };
      children.set(spec.name, child);
      const { exited } = await launch(child);
      const readiness = new AbortController();
      const outcome = await Promise.race([
        spec.ready(AbortSignal.any([readiness.signal, ended.signal])).then(() => undefined),
        exited,
      ]).catch((error: unknown) => messageOf(error));
      readiness.abort();
      if (outcome !== undefined) {
        await stopChild(child, true);
        children.delete(spec.name);
        const tail = tailOfChildLog(home, spec.name);
        throw new Error(`${spec.name} did not start: ${outcome}\n${tail.replace(/^/gm, '    ')}`);
      }
      void keepRunning(child, exited);
    },

    pid(name) {
      return children.get(name)?.process?.pid;
    },

    stop() {
      ended.abort();
      stopping ??= (async () => {
        for (const child of inStopOrder()) await stopChild(child, false);
        finish();
      })();
      return stopping;
    },

    async stopNow() {
      ended.abort();
      await Promise.all(inStopOrder().map((child) => stopChild(child, true)));
      finish();
    },
  };
}

/** One supervised process. */
export interface Supervised {
  /** Undefined while it is down. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/**
 * Starts one child under a supervisor of its own.
 * @throws as {@link Supervisor.start}, with nothing left running
 */
export async function superviseAlone(spec: ChildSpec, options: { home: string; log: Log }): Promise<Supervised> {
  const supervisor = createSupervisor(options);
  try {
    await supervisor.start(spec);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  return {
    get pid() {
      return supervisor.pid(spec.name);
    },
    stop: () => supervisor.stop(),
  };
}

/**
 * A shell, because it must cost almost nothing and outlive us by a second. It remembers the last line it read, a list
 * of SIGNAL:PID in stop order, until its standard input ends, which happens however this process dies.
 */
const script = `
list=
while read -r line; do list=$line; done
for entry in $list; do
  pid=\${entry##*:}
  kill -s "\${entry%%:*}" "$pid" 2>/dev/null || continue
  waited=0
  while kill -0 "$pid" 2>/dev/null && [ "$waited" -lt 100 ]; do sleep 0.1; waited=$((waited + 1)); done
done
`;

export interface Reaper {
  /** Replaces the list of processes to stop, in order, when this process dies. */
  watch(processes: readonly { pid: number; signal: NodeJS.Signals }[]): void;
  /** Ends the watch without stopping anything. */
  close(): void;
}

/** Starts a tiny companion that stops our children if we are killed before we can. */
export function startReaper(): Reaper {
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Without a shell the next start still finds leftovers by their pid files.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return {
    watch(processes) {
      const entries = processes.map(({ pid, signal }) => `${signal.replace(/^SIG/, '')}:${pid}`);
      shell.stdin.write(`${entries.join(' ')}\n`);
    },
    close() {
      shell.stdin.end('\n');
    },
  };
}
