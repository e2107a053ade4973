/** A seeded source of randomness; the same seed and label give the same numbers on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  normal(): number;
  poisson(mean: number): number;
  pick<T>(items: readonly T[]): T;
  hex(length: number): string;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/**
 * Mulberry32. Each use has a stream of its own (`label`), so that adding a log line somewhere does not change every
 * metric after it.
 */
export function createRandom(seed: number, label: string): Random {
  let state = (hash(label) ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  /** Box-Muller. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    normal,
    poisson: (mean) => {
      if (mean <= 0) return 0;
      if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
      const limit = Math.exp(-mean);
      let count = 0;
      for (let product = next(); product > limit; product *= next()) count++;
      return count;
    },
    pick: (items) => items[Math.floor(next() * items.length)]!,
    hex: (length) => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join(''),
  };
}
