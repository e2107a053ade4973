/** Connectors of the systems that hold telemetry. */
export { alertmanager } from './alertmanager.ts';
export { jaeger } from './jaeger.ts';
export { loki } from './loki.ts';
export { prometheus } from './prometheus/index.ts';
export { tempo } from './tempo.ts';
