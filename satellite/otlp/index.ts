/** Spans sent to the satellite over OTLP/HTTP. */
export { otlpConfig } from './config.ts';
export { startOtlpReceiver, type OtlpReceiver } from './receiver.ts';
export type { BorderSpan } from './span.ts';
