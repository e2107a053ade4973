/** The API of monitoring agents as its users call it. */
import assert from 'node:assert/strict';
import { startApi } from '../../../src/bin/api.ts';
import type { Harness } from '../../support/harness.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are whatever the server sent; tests look into them
export type Json = any;

export interface Answer {
  status: number;
  body: Json;
  /** As it came. */
  text: string;
}

export type Call = (method: string, path: string, body?: unknown, key?: string) => Promise<Answer>;

/** Calls an API. @param authorization how the key is sent unless a call says otherwise */
export const callerOf =
  (url: string, apiKey: string): Call =>
  async (method, path, body, key = apiKey) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), text };
  };

/** The answer of a call that is to succeed. */
export async function ok(answer: Promise<Answer>): Promise<Json> {
  const { status, text, body } = await answer;
  assert.equal(status, 200, text);
  return body;
}

/** Where a request was not valid. */
export function placesOf({ status, body, text }: Answer): string[] {
  assert.equal(status, 422, text);
  return body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'));
}

/** A key that has these scopes and no other. */
export const keyWith = async (call: Call, ...scopes: string[]): Promise<string> =>
  (await ok(call('POST', '/api/api-keys', { name: scopes.join(), scopes }))).api_key;

/**
 * A second API of the same installation, whose workflows nobody carries out: no worker polls their queue.
 * Its clock is that of the first.
 */
export async function startIdleApi({
  api,
  taskQueue,
  apiKey,
}: Harness): Promise<{ call: Call; stop(): Promise<void> }> {
  const { config, log } = api.deps;
  const idle = await startApi(
    { ...config, port: 0, temporal: { ...config.temporal, taskQueue: `${taskQueue}-idle` } },
    log,
  );
  await idle.prepared;
  return { call: callerOf(`http://127.0.0.1:${idle.port}`, apiKey), stop: () => idle.stop() };
}
