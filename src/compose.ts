/** Opens a process's dependencies and builds the rooms: once, for the API and for workers. */
import { createTemporalClient, type TemporalTarget } from '../temporal/connection.ts';
import type { Config } from './config.ts';
import { openOrm } from './db/orm.ts';
import type { KindProfile, RunKindDefinition, RunProfiles } from './features/runs/index.ts';
import type { LoadSystems } from './features/tools/index.ts';
import { systemClock } from './platform/clock.ts';
import type { ModelClient } from './platform/anthropic/index.ts';
import { createEventLog } from './platform/event-log/index.ts';
import type { Logger } from './platform/logger.ts';
import { createSecretBox, loadSecretKeys } from './platform/secrets.ts';
import type { All, Core, Room, RoomCore } from './room.ts';
import { entities, rooms, type FullConfig } from './rooms.ts';

type BuiltBy<One> = One extends { build: (house: never) => infer Built } ? (built: Built) => void : never;

/** What all rooms have built. */
export type House = RoomCore & { config: FullConfig } & All<BuiltBy<(typeof rooms)[number]>> & {
    profiles: RunProfiles;
  };

/** What activities work with. */
export type WorkerHouse = House & { model: ModelClient };

/** A room all of whose parts need only what the house provides. */
export interface FittingRoom extends Room {
  build?: (house: House) => object;
  systems?: (house: House) => LoadSystems;
  runKinds?: readonly RunKindDefinition<never, never, House>[];
  sweeps?: readonly ((house: House, signal: AbortSignal) => Promise<unknown>)[];
  activities?: readonly ((house: WorkerHouse) => object)[];
}

/** The rooms of the product. This line compiles only if their types fit together. */
export const productRooms: readonly FittingRoom[] = rooms;

export const temporalTarget = ({ temporal: { address = 'localhost:7233', namespace } }: Config): TemporalTarget => ({
  address,
  namespace,
});

/**
 * Opens what the rooms are built with. It does not connect before the first query.
 * @throws {ConfigError} when there is no secret key or no database
 */
export async function openCore(config: FullConfig, log: Logger): Promise<Core & { config: FullConfig }> {
  const { databaseUrl, redisUrl, timeouts } = config;
  if (databaseUrl === undefined)
    throw new Error('DATABASE_URL is not set. "npm start" sets it for the embedded servers.');
  const secretKeys = await loadSecretKeys(config);
  const { connectMs: connectTimeoutMs, redisMs: redisTimeoutMs } = timeouts;
  const closing = new AsyncDisposableStack();
  const orm = await openOrm({ databaseUrl, entities, poolSize: 20, connectTimeoutMs, log });
  closing.defer(() => orm.close(true));
  const events = createEventLog({ databaseUrl, redisUrl, connectTimeoutMs, redisTimeoutMs, log });
  closing.defer(() => events.close());
  const client = createTemporalClient(temporalTarget(config));
  closing.defer(() => client.connection.close());
  return {
    config,
    log,
    clock: systemClock,
    orm,
    events,
    client,
    secretKeys,
    secrets: createSecretBox(secretKeys),
    appUrl: config.appUrl ?? `http://localhost:${config.port}`,
    closing,
  };
}

/**
 * Builds the rooms in list order.
 * @param core what the process opened. Tests add parts of the house to replace those that rooms build
 * @param list a different list of rooms, for tests
 */
export function composeRooms<Given extends Core>(
  core: Given,
  list: readonly FittingRoom[] = productRooms,
): House & Given {
  const kinds = list.flatMap(({ runKinds = [] }) => runKinds);
  const built: KindProfile[] = [];
  const runTools = list.flatMap(({ tools = [] }) => tools);
  // Made at first use: which tool names are taken is known only once all rooms are built.
  let made: ReturnType<House['connectSystems']> | undefined;
  const connected = () =>
    (made ??= house.connectSystems(
      list.flatMap(({ systems }) => systems?.(house) ?? []),
      { own: house.ownSources, reserved: built.flatMap(({ tools }) => tools.map(({ name }) => name)) },
    ));
  const sources: House['sources'] = (call) => connected().sources(call);
  const teamTools: House['teamTools'] = (teamId) => connected().tools(teamId);
  const readScopes = Object.fromEntries(kinds.map(({ kind, readScope }) => [kind, readScope]));
  const profiles = {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- complete when every room has built
  const house = { runTools, sources, teamTools, readScopes, profiles, ...core } as unknown as House & Given;
  for (const { build } of list) Object.assign(house, { ...build?.(house), ...house });
  for (const { kind, profile } of kinds) {
    const parts = profile(house);
    built.push(parts);
    Object.assign(profiles, { [kind]: parts.load });
  }
  return house;
}

/** The activities of a worker. */
export const activitiesOf = (house: WorkerHouse, list: readonly FittingRoom[] = productRooms): object =>
  Object.assign({}, ...list.flatMap(({ activities = [] }) => activities.map((create) => create(house))));

/** @param signal of the worker, which stops */
export type Sweep = (signal: AbortSignal) => Promise<unknown>;

/** The sweeps of a worker. */
export const sweepsOf = (house: House, list: readonly FittingRoom[] = productRooms): Sweep[] =>
  list.flatMap(({ sweeps = [] }) => sweeps.map((sweep) => (signal: AbortSignal) => sweep(house, signal)));
