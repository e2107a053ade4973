/** Systems that the team has connected at Casebook, and that this satellite reaches for it. */
export { integrationsConfig, type IntegrationsConfig } from './config.ts';
export { Integrations } from './integrations.ts';
