import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { optional } from '../../config.ts';
import type { Room, RoomCore } from '../../room.ts';
import { createSourceCatalog } from './catalog.ts';
import { sourceEndpoints } from './routes.ts';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** A path that is wrong must not read as "no source": whoever starts the process is told. */
const incidentsDir = z.string().superRefine((path, context) => {
  if (!isFolder(path)) context.addIssue(`there is no folder ${resolve(path)}`);
});

const configuration = z
  .object({
    CASEBOOK_INCIDENTS_DIR: optional(incidentsDir),
    PROMETHEUS_URL: optional(z.url()),
    LOKI_URL: optional(z.url()),
    JAEGER_URL: optional(z.url()),
    TEMPO_URL: optional(z.url()),
  })
  .transform((e) => ({
    sources: {
      incidentsDir: e.CASEBOOK_INCIDENTS_DIR && resolve(e.CASEBOOK_INCIDENTS_DIR),
      prometheusUrl: e.PROMETHEUS_URL,
      lokiUrl: e.LOKI_URL,
      jaegerUrl: e.JAEGER_URL,
      tempoUrl: e.TEMPO_URL,
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
      ...(sources.incidentsDir ? ['recorded-incident'] : []),
      ...(sources.prometheusUrl ? ['prometheus'] : []),
      ...(sources.lokiUrl ? ['loki'] : []),
      ...(sources.jaegerUrl ? ['jaeger'] : []),
      ...(sources.tempoUrl ? ['tempo'] : []),
    ],
  }),
} satisfies Room;
