/** The API: the endpoints of all rooms, and the web app. */
import { join } from 'node:path';
import type Koa from 'koa';
import { docsEndpoints } from './http/docs.ts';
import type { Endpoint } from './http/endpoint.ts';
import { serveEndpoints } from './http/serve-endpoints.ts';
import { rooms } from './rooms.ts';

type NeedsOf<Room> = Room extends { endpoints: readonly Endpoint<infer Deps>[] } ? (deps: Deps) => void : never;

/** What the endpoints of all rooms together need. */
export type AppDeps = NeedsOf<(typeof rooms)[number]> extends (deps: infer Deps) => void ? Deps : never;

const ofRooms: readonly Endpoint<AppDeps>[] = rooms.flatMap((room): readonly Endpoint<AppDeps>[] =>
  'endpoints' in room ? room.endpoints : [],
);

/** Every endpoint of the API, room by room. */
export const endpoints: readonly Endpoint<AppDeps>[] = [
  ...ofRooms,
  ...docsEndpoints(() => endpoints), // /openapi.json, /docs
];

const WEB_FOLDER = join(import.meta.dirname, '../web/dist');

/** The API and the web app as a Koa app. */
export const createApp = (deps: AppDeps): Koa => serveEndpoints(endpoints, deps, { webFolder: WEB_FOLDER });
