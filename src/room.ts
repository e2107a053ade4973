import type { Client } from '@temporalio/client';
import type { EntitySchema } from '@mikro-orm/core';
import type { Config, Configuration } from './config.ts';
import type { Orm } from './db/orm.ts';
import type { RunKindDefinition } from './features/runs/index.ts';
import type { LoadSources } from './features/sources/index.ts';
import type { LoadSystems, LoadTeamTools, Tool } from './features/tools/index.ts';
import type { ReadScopes } from './features/transcripts/index.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { Mount } from './http/mounts.ts';
import type { Clock } from './platform/clock.ts';
import type { EventLog } from './platform/event-log/index.ts';
import type { Logger } from './platform/logger.ts';
import type { SecretBox, SecretKeys } from './platform/secrets.ts';

/** What many parties together take: the intersection of their parameters. */
export type All<Takers> = (Takers extends unknown ? Takers : never) extends (all: infer Everything) => void
  ? Everything
  : never;

/** What a process opens before it builds its rooms. */
export interface Core {
  config: Config;
  log: Logger;
  clock: Clock;
  orm: Orm;
  events: EventLog;
  client: Client;
  /** The keys of the secrets at rest, the current one first. */
  secretKeys: SecretKeys;
  /** Seals and opens secrets at rest. */
  secrets: SecretBox;
  /** Where people reach the web app, without a trailing slash. */
  appUrl: string;
  /** What to close when the process stops, in reverse order. */
  closing: AsyncDisposableStack;
}

/** What a room builds with: what the process opened, and what follows from the list of rooms. */
export interface RoomCore extends Core {
  /** The tools of every run. */
  runTools: readonly Tool[];
  /** What a key must grant to see what was found in a run, by kind. */
  readScopes: ReadScopes;
  /** The sources of a team: the installation's, and those of the systems that it has connected. */
  sources: LoadSources;
  /** The tools of the systems that a team has connected. */
  teamTools: LoadTeamTools;
}

/** What a key, or a person, may do. */
export interface Scope {
  /** In words, for people who create keys. */
  allows: string;
  /** Whether every member of a team may; its admins may do everything. */
  forMembers?: boolean;
}

/** By name: `topic:action`. */
export type Scopes = Readonly<Record<string, Scope>>;

/** A column of values that the secret box has sealed, so that they can be moved to a new key. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The member that is sealed, if the column is JSON. */
  member?: string;
  /** It is of use for a while only: what cannot be opened is dropped. */
  isTransient?: boolean;
  /** What the value was sealed for. */
  context(row: { id: string; teamId: string }): string;
}

/**
 * What the house takes from a room. Each room exports one value of this type through its door, with only the parts it
 * needs. `house` is what all rooms have built; `compose.ts` checks that it has what each part asks for.
 */
export interface Room {
  name: string;
  endpoints?: readonly Endpoint<never>[];
  /** Applications of others that are served under a path of their own. */
  mounts?: readonly Mount<never>[];
  entities?: readonly EntitySchema[];
  /** Where its secrets are. */
  sealed?: readonly SealedColumn[];
  scopes?: Scopes;
  /** Its environment variables; `build` gets what it makes of them as parts of `house.config`. */
  configuration?: Configuration;
  /** Tools of every run. */
  tools?: readonly Tool[];
  /** What it adds to the runs of a team that has connected something: tools and sources. */
  systems?: (house: never) => LoadSystems;
  /** Builds what the room and others work with, once per process; `house` has what the rooms before it have built. */
  build?: (house: never) => object;
  runKinds?: readonly RunKindDefinition<never, never, never>[];
  /** What every worker does periodically, until it stops. Several may do it at once: each is idempotent. */
  sweeps?: readonly ((house: never, signal: AbortSignal) => Promise<unknown>)[];
  /** The room's activities, from the folder `activities`. */
  activities?: readonly ((house: never) => object)[];
}
