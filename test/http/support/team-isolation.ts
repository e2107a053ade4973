import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { send } from './api.ts';

/** How to call one endpoint on things of the team that owns them. */
export interface Example {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

export interface IsolationOptions {
  url: string;
  /** Every endpoint of the app: one that is team-scoped, takes the id of something, and has no example fails the test. */
  endpoints: readonly Endpoint<never>[];
  /** A key of the other team, with `team:admin`: a missing scope must not be what keeps it out. */
  otherTeamKey: string;
  /** By operationId, with ids that exist in the owner's team. */
  examples: Record<string, Example>;
  /** What must not appear in any answer to the other team: ids, names and texts of the owner's things. */
  secrets: readonly string[];
  /** Operation ids that are to be left out, each with the reason. */
  except?: Record<string, string>;
}

/**
 * Calls every team-scoped endpoint with another team's key. One that names a thing in its path must answer 404, like
 * for an id that does not exist; any other may answer, but with nothing of the owner's.
 * @returns the operation ids that were called
 */
export async function assertTeamIsolation(options: IsolationOptions): Promise<string[]> {
  const { url, endpoints, otherTeamKey, examples, secrets, except = {} } = options;
  const called: string[] = [];
  for (const endpoint of endpoints) {
    const { operationId, method, path, auth, teamScoped } = endpoint;
    if (auth === 'none' || teamScoped === false || Object.hasOwn(except, operationId)) continue;
    const named = path.includes('{');
    const example = examples[operationId];
    assert.ok(example || (!named && !endpoint.body), `${operationId} needs an example for the isolation test`);
    const call = (params: Record<string, string>) => {
      const target = new URL(
        url + path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? '')),
      );
      for (const [name, value] of Object.entries(example?.query ?? {})) target.searchParams.set(name, value);
      const hasBody = example?.body !== undefined;
      return send(target.href, {
        method: method.toUpperCase(),
        headers: {
          [auth.via.includes('x-api-key') ? 'x-api-key' : 'authorization']: auth.via.includes('x-api-key')
            ? otherTeamKey
            : `Bearer ${otherTeamKey}`,
          ...(hasBody && { 'content-type': 'application/json' }),
        },
        body: hasBody ? JSON.stringify(example?.body) : undefined,
      });
    };
    const params = example?.params ?? {};
    const reply = await call(params);
    called.push(operationId);
    if (named) {
      assert.equal(
        reply.status,
        404,
        `${operationId} answers ${reply.status} to another team: ${reply.text.slice(0, 300)}`,
      );
      const unknown = await call(Object.fromEntries(Object.keys(params).map((name) => [name, randomUUID()])));
      assert.deepEqual(reply.json, unknown.json, `${operationId} tells a foreign id from one that does not exist`);
    } else {
      assert.ok(reply.status < 500, `${operationId} answers ${reply.status} to another team`);
    }
    for (const secret of secrets) {
      assert.ok(!reply.text.includes(secret), `${operationId} shows another team ${secret}`);
    }
  }
  return called;
}
