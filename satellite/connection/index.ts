/** The connection to Casebook. */
export { Connection } from './connection.ts';
export { endpointOf } from './endpoint.ts';
export { clustersOf, healthOf, inventoryOf, redactGraph } from './inventory.ts';
export { checkOnce, Monitor, reasonOf } from './monitor.ts';
