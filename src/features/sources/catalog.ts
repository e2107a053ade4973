import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { jaeger, loki, prometheus, tempo } from '@casebook/connectors';
import type { Logger } from '../../platform/logger.ts';
import { createLokiSource } from './loki/source.ts';
import { createPrometheusSource } from './prometheus/source.ts';
import { SourceError, type SourceCatalog, type TelemetrySource } from './port.ts';
import { createRecordedIncidentSource, recordedTransport } from './recorded/source.ts';
import { createTraceSource } from './traces/source.ts';
import { overHttp } from './transport.ts';

export interface SourceCatalogOptions {
  /** Folder whose subfolders are recorded incidents. */
  incidentsDir?: string;
  prometheusUrl?: string;
  lokiUrl?: string;
  jaegerUrl?: string;
  tempoUrl?: string;
  logger?: Logger;
}

const incidentFolderName = /^[a-z0-9][a-z0-9._-]{0,99}$/i;

/**
 * The installation's sources: every recorded incident (`incident:<folder>`), `prometheus`, `loki`, `jaeger` and
 * `tempo`. The folder of
 * incidents is read on every call, so that new ones are found; each source keeps its caches. A malformed incident stays
 * in the list and reports its problem when queried.
 */
export function createSourceCatalog(options: SourceCatalogOptions): SourceCatalog {
  const recordings = recordedTransport(options.incidentsDir ?? '');
  const recorded = new Map<string, TelemetrySource>();
  const remote: TelemetrySource[] = [];
  const { prometheusUrl, lokiUrl, jaegerUrl, tempoUrl, logger } = options;
  if (prometheusUrl) remote.push(createPrometheusSource({ transport: overHttp(prometheus, prometheusUrl, logger) }));
  if (lokiUrl) remote.push(createLokiSource({ transport: overHttp(loki, lokiUrl, logger) }));
  if (jaegerUrl) {
    remote.push(createTraceSource({ kind: 'jaeger', transport: overHttp(jaeger, jaegerUrl, logger) }));
  }
  if (tempoUrl) remote.push(createTraceSource({ kind: 'tempo', transport: overHttp(tempo, tempoUrl, logger) }));
  const reported = new Set<string>();
  const warnOnce = (message: string, details: Record<string, unknown>) => {
    const key = message + JSON.stringify(details);
    if (reported.has(key)) return;
    reported.add(key);
    logger?.warn(details, message);
  };

  const incidents = (): TelemetrySource[] => {
    const { incidentsDir } = options;
    if (!incidentsDir) return [];
    let entries;
    try {
      entries = readdirSync(incidentsDir, { withFileTypes: true });
    } catch (error) {
      warnOnce('the folder of recorded incidents cannot be read', { incidentsDir, error: String(error) });
      return [];
    }
    const found: TelemetrySource[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      // A symbolic link could lead out of the folder, so it is not an incident.
      if (!entry.isDirectory() || !incidentFolderName.test(entry.name)) {
        if (!entry.isFile()) warnOnce('not a recorded incident, ignored', { incidentsDir, name: entry.name });
        continue;
      }
      const source =
        recorded.get(entry.name) ?? createRecordedIncidentSource(join(incidentsDir, entry.name), recordings);
      recorded.set(entry.name, source);
      found.push(source);
    }
    return found;
  };

  return catalogOver(() => [...incidents(), ...remote]);
}

/** A catalog of the sources that `list` returns at each call. */
export function catalogOver(list: () => TelemetrySource[]): SourceCatalog {
  return {
    list,
    get: (id) => {
      const sources = list();
      const source = sources.find((candidate) => candidate.id === id);
      if (source) return source;
      const ids = sources.map((candidate) => candidate.id).join(', ') || 'none';
      throw new SourceError(`there is no source "${id.slice(0, 100)}"; the sources are: ${ids}`);
    },
  };
}
