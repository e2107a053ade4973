import assert from 'node:assert/strict';
import { CodeHostError, type CodeHost } from '@casebook/connectors';
import { gitHubConfig, openGitHub } from '../../../packages/connectors/github/index.ts';
import type { GitHubServer } from '../../support/github-server.ts';

/** For calls that nothing stops. */
export const call = { signal: new AbortController().signal };

/** With the server's token, unless the configuration has another credential. */
export function hostOn(server: GitHubServer, config: object = {}, now?: () => number): CodeHost {
  const credential = 'app_id' in config || 'token' in config ? {} : { token: server.token };
  return openGitHub(gitHubConfig.parse({ url: server.url, ...credential, ...config }), now ? { now } : {});
}

/** The error of a call that the host did not carry out. */
export async function refused(work: Promise<unknown>, reason: CodeHostError['reason']): Promise<CodeHostError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof CodeHostError, String(error));
    assert.equal(error.reason, reason, error.message);
    return error;
  }
  return assert.fail(`nothing was refused as ${reason}`);
}

export const sha = (digit: string): string => digit.repeat(40);
