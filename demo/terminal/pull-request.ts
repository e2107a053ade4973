import pc from 'picocolors';
import { z } from 'zod';
import { callApi, type CasebookAddress } from '../casebook-api.ts';
import type { LiveCodeHost } from '../live/code-host.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';

const opened = z.object({ pull_request_id: z.string() });
const followed = z.object({
  status: z.string(),
  number: z.number().nullable(),
  url: z.string().nullable(),
  error: z.string().nullish(),
});

const OPEN_MS = 120_000;

/**
 * Opens the pull request that an investigation recommends, as the button of its page does, and shows it.
 * @returns its number
 * @throws when there is none to open, or it could not be opened
 */
export async function openRecommended(
  casebook: CasebookAddress,
  investigationId: string,
  signal: AbortSignal,
): Promise<number> {
  const body = { investigation_id: investigationId };
  const { pull_request_id: id } = opened.parse(
    await callApi(casebook, 'POST', '/api/create-pr/from-investigation', { body, signal }),
  );
  const { number, url } = await waitUntil(
    async () => {
      const now = followed.parse(await callApi(casebook, 'GET', `/api/pull-requests/${id}`, { signal }));
      if (now.status === 'failed' || now.status === 'conflict') throw new Error(now.error ?? now.status);
      return now.number === null ? undefined : { number: now.number, url: now.url };
    },
    { what: 'the pull request', timeoutMs: OPEN_MS, signal },
  );
  console.log(`\n  ${pc.green('✓')} Opened pull request #${number}: ${url}`);
  return number;
}

/** How to do the same by hand. */
export function sayHowToMerge({ url, account: { username, password } }: LiveCodeHost): void {
  console.error(`\n  ${pc.bold('Open the pull request')} on the page of the investigation, and merge it in Gitea:`);
  console.error(`  ${url}  (${username} / ${password})`);
  console.error(pc.dim('  The shop deploys what is merged, and recovers.'));
}
