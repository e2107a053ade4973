/** A Node program as a process of its own, which a test may kill, freeze and start again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endWithTests } from './end-with-tests.ts';
import { COMPILE_CACHE } from './own-programs.ts';

const MAX_OUTPUT = 500_000;

export interface Program {
  /** Changes with every start. */
  readonly pid: number;
  /** Starts it again, with the same arguments, after it has ended. */
  start(): void;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
  /** Asks it to end, and resolves when it has. */
  terminate(): Promise<void>;
  /** Takes it off the processor: it keeps its sockets and says nothing. */
  freeze(): void;
  thaw(): void;
  /** What it has said since it was last started, or the end of it. */
  output(): string;
}

/** @param options.args of node: the program, then its own */
export function startProgram(options: { args: string[]; env: Record<string, string> }): Program {
  let output = '';
  const launch = (): ChildProcess => {
    output = '';
    const launched = endWithTests(
      spawn(process.execPath, options.args, {
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    for (const stream of [launched.stdout, launched.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (launched === child) output = (output + text).slice(-MAX_OUTPUT);
      });
    return launched;
  };
  let child = launch();
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    // One that is frozen would hear of it never.
    child.kill('SIGCONT');
    await exited;
  };
  return {
    get pid() {
      return child.pid!;
    },
    start() {
      child = launch();
    },
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGTERM'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    output: () => output,
  };
}
