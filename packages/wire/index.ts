/** The protocol between Casebook and its satellites: everything both ends share. */
export * from './graph.ts';
export * from './inventory.ts';
export * from './limits.ts';
export * from './messages.ts';
