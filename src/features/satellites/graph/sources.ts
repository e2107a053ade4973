/** The sources of an edge as one number: bit n stands for the protocol's nth source. */
import { EDGE_SOURCES, type EdgeSource } from '@casebook/wire';

export const sourceBits = (sources: readonly EdgeSource[]): number =>
  sources.reduce((bits, source) => bits | (1 << EDGE_SOURCES.indexOf(source)), 0);

export const sourcesOf = (bits: number): EdgeSource[] => EDGE_SOURCES.filter((_, index) => bits & (1 << index));
