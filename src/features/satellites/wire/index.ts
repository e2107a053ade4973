/** The protocol between Casebook and its satellites: all that both know. Nothing else of `src` is part of a satellite. */
export * from './graph.ts';
export * from './inventory.ts';
export * from './limits.ts';
export * from './messages.ts';
