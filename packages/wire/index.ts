/** The protocol between Casebook and its satellites: all that the two ends share. */
export * from './graph.ts';
export * from './inventory.ts';
export * from './limits.ts';
export * from './messages.ts';
