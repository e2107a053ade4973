/** Every room of the house. A new room is a folder in `features` and a line here. */
import { chartsRoom } from './features/charts/index.ts';
import { chatsRoom } from './features/chats/index.ts';
import { citationsRoom } from './features/citations/index.ts';
import { effectsRoom } from './features/effects/index.ts';
import { identityRoom } from './features/identity/index.ts';
import { investigationsRoom } from './features/investigations/index.ts';
import { monitoringAgentsRoom } from './features/monitoring-agents/index.ts';
import { satellitesRoom } from './features/satellites/index.ts';
import { serviceRoom } from './features/service/index.ts';
import { sourcesRoom } from './features/sources/index.ts';
import { transcriptsRoom } from './features/transcripts/index.ts';
import { workspaceRoom } from './features/workspace/index.ts';
import type { Room } from './room.ts';

export const rooms = [
  serviceRoom,
  identityRoom,
  investigationsRoom,
  chatsRoom,
  citationsRoom,
  transcriptsRoom,
  chartsRoom,
  sourcesRoom,
  monitoringAgentsRoom,
  satellitesRoom,
  workspaceRoom,
  effectsRoom,
] as const satisfies readonly Room[];

const entitiesOf = (list: readonly Room[]) => list.flatMap(({ entities = [] }) => entities);

/** Every entity of the product, for `openOrm`. */
export const entities = entitiesOf(rooms);
