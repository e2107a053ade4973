/** The API: the endpoints of all rooms, and the web app. */
import { join } from 'node:path';
import type Koa from 'koa';
import { docsEndpoints } from './http/docs/index.ts';
import type { ApiDeps } from './http/deps.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { Mount } from './http/mounts.ts';
import { serveEndpoints } from './http/serve-endpoints.ts';
import { rooms } from './rooms.ts';

type NeedsOf<Room> =
  | (Room extends { endpoints: readonly Endpoint<infer Deps>[] } ? (deps: Deps) => void : never)
  | (Room extends { mounts: readonly Mount<infer Deps>[] } ? (deps: Deps) => void : never);

/** What the endpoints and mounted applications of all rooms together need. */
export type AppDeps = NeedsOf<(typeof rooms)[number]> extends (deps: infer Deps) => void ? Deps : never;

/** Tags whose endpoints the documentation shows first, and last; others stand between. */
const FIRST = ['Investigations', 'Chats', 'Monitoring agents', 'Sources', 'Satellites'];
const LAST = ['Teams', 'API keys', 'Sign-in', 'Service'];

function placeOf({ tags: [tag = ''] }: { tags: readonly string[] }): number {
  return FIRST.includes(tag) ? FIRST.indexOf(tag) - FIRST.length : LAST.indexOf(tag) + 1;
}

/** Every endpoint of these rooms, and the pages that document them. */
export function endpointsOf<Deps extends ApiDeps>(
  list: readonly { name: string; endpoints?: readonly Endpoint<Deps>[] }[],
): readonly Endpoint<Deps>[] {
  const all: Endpoint<Deps>[] = list.flatMap((room) => room.endpoints ?? []);
  return all.concat(docsEndpoints(() => all.toSorted((a, b) => placeOf(a) - placeOf(b))));
}

/** Every endpoint of the API. */
export const endpoints: readonly Endpoint<AppDeps>[] = endpointsOf<AppDeps>(rooms);

/** Every mounted application of a list of rooms. */
export const mountsOf = <Deps extends ApiDeps>(
  list: readonly { name: string; mounts?: readonly Mount<Deps>[] }[],
): readonly Mount<Deps>[] => list.flatMap(({ mounts = [] }) => mounts);

const WEB_FOLDER = join(import.meta.dirname, '../web/dist');

/** The API and the web app as a Koa app. */
export const createApp = (deps: AppDeps): Koa =>
  serveEndpoints(endpoints, deps, { mounts: mountsOf<AppDeps>(rooms), webFolder: WEB_FOLDER });
