/** The OTLP/HTTP span receiver. */
export { otlpConfig } from './config.ts';
export { startOtlpReceiver, type OtlpReceiver } from './receiver.ts';
export type { BorderSpan } from './span.ts';
