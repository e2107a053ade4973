/** Integrations: the systems that a team connects itself, as sources and tools of its runs. */
export type { IntegrationDeps, Integrations } from './deps.ts';
export { Integration, type FamilyName } from './entities.ts';
export { integrationNotFound, notConnected } from './errors.ts';
export { CODE_HOST_FAMILIES, urlOf } from './families.ts';
export { askGitLab, connectGitLab } from './gitlab.ts';
export { integrationsRoom } from './room.ts';
export { listIntegrations, presentAll } from './routes/shared.ts';
export * as integrationSchemas from './schemas/shared.ts';
export type { LoadChanges } from './systems.ts';
export { connect, find, findOnly, remove, removeOnly, type RemoveDependents } from './service.ts';
