/** Continuous delivery of the demo: whatever is on the branch runs in the service a moment later. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/platform/message-of.ts';
import type { Log } from '../../src/embedded/log.ts';
import { handlerAt, newestCommit, type GiteaAddress } from './repository.ts';

const LOOK_EVERY_MS = 1_000;

/**
 * Follows the branch until the signal fires.
 * @param options.folder where the versions of the code are kept
 * @param options.service base URL of the service
 */
export function deployBranch(
  gitea: GiteaAddress,
  options: { folder: string; service: string; log: Log; signal: AbortSignal },
): { /** Looks at the branch now. @throws when it cannot be deployed */ now(): Promise<void> } {
  const { folder, service, log, signal } = options;
  let running: string | undefined;
  const look = async (): Promise<void> => {
    const commit = await newestCommit(gitea, signal);
    if (commit === running) return;
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `payments-${commit}.mjs`);
    writeFileSync(file, await handlerAt(gitea, commit, signal));
    const body = JSON.stringify({ file, version: commit.slice(0, 10) });
    const answer = await fetch(`${service}/deploy`, { method: 'POST', body, signal });
    if (!answer.ok) throw new Error(`the service did not take ${commit}: ${await answer.text()}`);
    running = commit;
  };
  const follow = async (): Promise<void> => {
    let isFailing = false;
    while (!signal.aborted) {
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await look();
        isFailing = false;
      } catch (error) {
        if (!isFailing && !signal.aborted) log.warn(`The branch is not deployed: ${messageOf(error)}`);
        isFailing = true;
      }
    }
  };
  void follow();
  return { now: look };
}
