/** Integrations: the systems that a team connects itself, as sources and tools of its runs. */
export type { IntegrationDeps } from './deps.ts';
export { Integration } from './entities.ts';
export { integrationsRoom } from './room.ts';
