/** Finds tables in tool results. */
export { presentTables } from './describe.ts';
export { tablesIn } from './find.ts';
export { isTimeName, isoOf, requestedTime, timeOf } from './times.ts';
export { numberOf, type Cell, type Column, type Table } from './table.ts';
