/** Redaction of what leaves the network. */
export { redactionConfig } from './config.ts';
export { createRedactor, type Redactor } from './redactor.ts';
