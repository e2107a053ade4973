/** The language model, as the rest of the code sees it. */
export { createModelClient } from './client.ts';
export { DEFAULT_MODEL, OFFLINE_MODEL } from './models.ts';
export * from './port.ts';
