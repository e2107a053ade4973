/** Runs Casebook's requests. */
export { type Outlet, partsOf } from './answers.ts';
export { connectAll } from './dispatch.ts';
export { QueryRunner } from './runner.ts';
export { Slots } from './slots.ts';
