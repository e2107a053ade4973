/** Whatever way the tests end, the programs that they started do not outlive them. */
import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();

// One listener for all: Node warns of a leak when eleven programs bring one each.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Kills it, if it still runs, when this process ends. */
export function endWithTests<T extends ChildProcess>(child: T): T {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}
