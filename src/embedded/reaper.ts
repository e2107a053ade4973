import { spawn } from 'node:child_process';

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
