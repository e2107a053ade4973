import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager } from '../../../src/db/orm.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import type { Room } from '../../../src/room.ts';
import { send } from './api.ts';

/** How to call one endpoint on things of the team that owns them. */
export interface Example {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** A team with things in every room; they all say {@link SECRET}. */
export interface Owner {
  /** Bound to the owner's team; flushed once every room has created its rows. */
  em: EntityManager;
  teamId: string;
  /** The admin of the team, and the id of the key it was created with. */
  userId: string;
  keyId: string;
  /** The caller, which has to name its own team in some requests. */
  otherTeamId: string;
}

/** What a room adds to the isolation test: exported as `isolation` by `test/features/ROOM/isolation.ts`. */
export interface RoomIsolation {
  /** By operationId, with ids that exist in the owner's team. */
  examples: Record<string, Example>;
  /** Ids and names of the owner's things, beside {@link SECRET}. */
  secrets: readonly string[];
  /** Paths below `/api` where the owner sees {@link SECRET}. */
  shownAt?: readonly string[];
}

export type CreateIsolation = (owner: Owner) => RoomIsolation;

export const SECRET = 'the text of the owner';

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

const FEATURES = join(import.meta.dirname, '../../features');

/**
 * The fixtures of these rooms.
 * @param folder has a folder for each room, with its `isolation.ts`
 * @throws {AssertionError} for a room with team-scoped endpoints that has none
 */
export async function roomFixtures(
  rooms: readonly Pick<Room, 'name' | 'endpoints'>[],
  folder = FEATURES,
): Promise<CreateIsolation[]> {
  const fixtures: CreateIsolation[] = [];
  for (const { name, endpoints: ofRoom = [] } of rooms) {
    if (!ofRoom.some(isTeamScoped)) continue;
    const file = join(folder, name, 'isolation.ts');
    assert.ok(existsSync(file), `${name} needs an isolation.ts beside its tests`);
    const { isolation }: { isolation: CreateIsolation } = await import(file);
    fixtures.push(isolation);
  }
  return fixtures;
}

const isTeamScoped = ({ auth, teamScoped }: Endpoint<never>): boolean => auth !== 'none' && teamScoped !== false;

/**
 * Calls every team-scoped endpoint with another team's key. One that names a thing in its path must answer 404, like
 * for an id that does not exist; any other may answer, but with nothing of the owner's.
 * @returns the operation ids that were called
 */
export async function assertTeamIsolation(options: IsolationOptions): Promise<string[]> {
  const { url, endpoints, otherTeamKey, examples, secrets, except = {} } = options;
  const called: string[] = [];
  for (const endpoint of endpoints) {
    const { operationId, method, path, auth } = endpoint;
    if (auth === 'none' || !isTeamScoped(endpoint) || Object.hasOwn(except, operationId)) continue;
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
