import type { Room, RoomCore } from '../../room.ts';
import { createSourceCatalog } from './catalog.ts';
import { sourceEndpoints } from './routes.ts';

export const sourcesRoom = {
  name: 'sources',
  endpoints: sourceEndpoints,
  build: ({ config: { sources }, log }: RoomCore) => ({
    /** The installation's own; teams also have those behind their satellites. */
    ownSources: createSourceCatalog({ ...sources, logger: log }),
    /** Kinds of the configured sources. */
    sourceKinds: [
      'recorded-incident',
      ...(sources.prometheusUrl ? ['prometheus'] : []),
      ...(sources.lokiUrl ? ['loki'] : []),
    ],
  }),
} satisfies Room;
