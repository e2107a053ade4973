/** Every room of the house. A new room is a folder in `features` and a line here. */
import type { z } from 'zod';
import { createChatActivities } from '../activities/chats.ts';
import { createCitationActivities } from '../activities/citations.ts';
import { createFindingActivities } from '../activities/findings.ts';
import { createInstructionCheckActivities, createMonitoringAgentActivities } from '../activities/monitoring-agents.ts';
import { createInvestigationActivities } from '../activities/investigations.ts';
import { createRunActivities } from '../activities/runs.ts';
import { chartsRoom } from './features/charts/index.ts';
import { chatsRoom } from './features/chats/index.ts';
import { citationsRoom } from './features/citations/index.ts';
import { codeHostsRoom } from './features/code-hosts/index.ts';
import { effectsRoom } from './features/effects/index.ts';
import { identityRoom } from './features/identity/index.ts';
import { integrationsRoom } from './features/integrations/index.ts';
import { investigationsRoom } from './features/investigations/index.ts';
import { monitoringAgentsRoom } from './features/monitoring-agents/index.ts';
import { notificationsRoom } from './features/notifications/index.ts';
import { runsRoom } from './features/runs/index.ts';
import { satellitesRoom } from './features/satellites/index.ts';
import { serviceRoom } from './features/service/index.ts';
import { sourcesRoom } from './features/sources/index.ts';
import { toolsRoom } from './features/tools/index.ts';
import { transcriptsRoom } from './features/transcripts/index.ts';
import { workspaceRoom } from './features/workspace/index.ts';
import { configuration, parseEnvironment, type Config, type Configuration } from './config.ts';
import type { All, Room, Scopes } from './room.ts';

/** A room comes after the rooms whose objects it builds with. */
const list = [
  serviceRoom,
  effectsRoom,
  transcriptsRoom,
  toolsRoom,
  sourcesRoom,
  satellitesRoom,
  notificationsRoom,
  integrationsRoom,
  workspaceRoom,
  codeHostsRoom,
  chartsRoom,
  { ...runsRoom, activities: [createRunActivities] },
  { ...citationsRoom, activities: [createCitationActivities] },
  { ...investigationsRoom, activities: [createInvestigationActivities] },
  {
    ...monitoringAgentsRoom,
    activities: [createMonitoringAgentActivities, createInstructionCheckActivities, createFindingActivities],
  },
  { ...chatsRoom, activities: [createChatActivities] },
] as const satisfies readonly Room[];

/** The scopes of some rooms. */
export const scopesOf = (some: readonly Room[]): Scopes => Object.assign({}, ...some.map(({ scopes }) => scopes));

/** Every room of the product. Identity grants the scopes that the others declare. */
export const rooms = [identityRoom(scopesOf(list)), ...list] as const satisfies readonly Room[];

const entitiesOf = (some: readonly Room[]) => some.flatMap(({ entities = [] }) => entities);

/** Every column of sealed secrets. */
export const sealedColumns = rooms.flatMap((room: Room) => room.sealed ?? []);

/** Every entity of the product, for `openOrm`. */
export const entities = entitiesOf(rooms);

type SettingsOf<One> = One extends { configuration: infer Part extends z.ZodType }
  ? (settings: z.output<Part>) => void
  : never;

/** The complete configuration of one process: the house's, and what the rooms make of their variables. */
export type FullConfig = Config & All<SettingsOf<(typeof rooms)[number]>>;

/** The parts of the configuration with some rooms: the house's and theirs. */
export const configurationsOf = (some: readonly Room[]): Configuration[] => [
  configuration,
  ...some.flatMap((room) => room.configuration ?? []),
];

/** Every part of the configuration. */
export const configurations = configurationsOf(rooms);

/**
 * Reads the configuration. Every process does so first: a bad value ends it with one line per problem before anything is
 * opened.
 * @param env the variables to read; by default those of the process
 * @throws {ConfigError} naming every invalid variable
 */
export const loadConfig = (env?: Record<string, string | undefined>): FullConfig =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every part has been parsed
  parseEnvironment(configurations, env) as FullConfig;
