/**
 * Ends what a child leaves behind, even if this process is killed: a shell that waits for the end of a pipe that we hold
 * open. It ends the child's process group, and the processes that left the group, by a mark in their environment; the
 * latter needs `/proc`.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

/** Variable in the environment of a child and what descends from it. */
export const MARK = 'CASEBOOK_TOOL_SERVER';

/** $1: the mark, $2: a folder to remove. Input: the process group, once there is one. Repeats: what is killed may fork. */
const SCRIPT = `
read -r group
read -r end
if [ -n "$group" ]; then kill -s KILL -- "-$group"; fi
for pass in 1 2 3 4 5; do
  files=$(grep -ls -- "$1" /proc/[0-9]*/environ)
  if [ -z "$files" ]; then break; fi
  for file in $files; do
    process=\${file%/environ}
    kill -s KILL "\${process#/proc/}"
  done
done
if [ -n "$2" ]; then rm -rf -- "$2"; fi
`;

export interface Watchdog {
  /** Value of {@link MARK} for the child. */
  readonly mark: string;
  /** @param group id of the child's process group */
  guard(group: number): void;
  /** Ends what is left now. Resolves when it is gone. */
  end(): Promise<void>;
}

/**
 * @param folder removed with the child
 * @throws when there is no shell
 */
export async function startWatchdog(folder: string | undefined): Promise<Watchdog> {
  const mark = randomUUID();
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', `${MARK}=${mark}`, folder ?? ''], {
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // Out of our process group: what ends the group must not end the watchdog first.
    detached: true,
  });
  const closed = new Promise<void>((resolve) => {
    shell.once('close', () => resolve());
  });
  await once(shell, 'spawn');
  // A watchdog that was killed is seen by its end alone.
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return {
    mark,
    guard: (group) => void shell.stdin.write(`${group}\n`),
    async end() {
      shell.ref();
      shell.stdin.end();
      await closed;
    },
  };
}
