import type { HealthyRecording } from '../petshop.ts';
import { type InjectedCase, injectPetShopFault } from './petshop.ts';
import { injectSockShopFault } from './sockshop.ts';

export type { InjectedCase } from './petshop.ts';

/** `count` cases per healthy recording, from the seeds `first`, `first` + 1, … */
export function injectedPetShopCases(
  recordings: readonly HealthyRecording[],
  count: number,
  first = 1,
): InjectedCase[] {
  return recordings.flatMap((recording) => seeds(count, first).map((seed) => injectPetShopFault(recording, seed)));
}

/** `count` cases like the Sock Shop recordings, from the seeds `first`, `first` + 1, … */
export function injectedSockShopCases(count: number, first = 1): InjectedCase[] {
  return seeds(count, first).map((seed) => injectSockShopFault(seed));
}

function seeds(count: number, first: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}
