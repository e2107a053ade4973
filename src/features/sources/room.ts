import { resolve } from 'node:path';
import { z } from 'zod';
import { optional } from '../../config.ts';
import type { Room, RoomCore } from '../../room.ts';
import { createSourceCatalog } from './catalog.ts';
import { sourceEndpoints } from './routes.ts';

const configuration = z
  .object({
    CASEBOOK_INCIDENTS_DIR: optional(z.string()),
    PROMETHEUS_URL: optional(z.url()),
    LOKI_URL: optional(z.url()),
  })
  .transform((e) => ({
    sources: {
      incidentsDir: resolve(e.CASEBOOK_INCIDENTS_DIR ?? 'demo/incidents'),
      prometheusUrl: e.PROMETHEUS_URL,
      lokiUrl: e.LOKI_URL,
    },
  }));

export const sourcesRoom = {
  name: 'sources',
  endpoints: sourceEndpoints,
  configuration,
  build: ({ config: { sources }, log }: RoomCore & { config: z.output<typeof configuration> }) => ({
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
