/** Telemetry sources: what the agent's tools can query, and the catalog that holds them. */
export { catalogOver, createSourceCatalog, type SourceCatalogOptions } from './catalog.ts';
export { createLokiSource } from './loki/source.ts';
export { createPrometheusSource, createScrapeIntervals, type ScrapeIntervals } from './prometheus/source.ts';
export { howToConnect, isRecorded, RECORDED_ID_PREFIX } from './contract.ts';
export { createRecordedIncidentSource } from './recorded/source.ts';
export { createTraceSource } from './traces/source.ts';
export * from './port.ts';
export type { SourceDeps } from './routes.ts';
export { sourcesRoom } from './room.ts';
