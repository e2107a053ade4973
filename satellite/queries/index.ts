/** Runs Casebook's requests. */
export type { Outlet } from './deliver.ts';
export type { LimitedConnector, Systems } from './dispatch.ts';
export { connectAll } from './dispatch.ts';
export { partsOf } from './parts.ts';
export { QueryRunner } from './runner.ts';
export { Slots } from './slots.ts';
