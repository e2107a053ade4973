import type { RankingInput } from '../../src/features/diagnosis/index.ts';

/**
 * The usual baseline of the field: each service scores the largest |x - mean| / standard deviation over all of its
 * metrics and all samples of the incident. No direction, no graph. A constant baseline is skipped.
 */
export function rankByMaxZ(input: RankingInput): Array<{ service: string; score: number }> {
  const { baseline, incident } = input;
  if (baseline === undefined || incident === undefined) return [];
  const best = new Map<string, number>();
  for (const { service, timestamps, values } of input.series) {
    let count = 0;
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (Number.isNaN(value) || timestamps[i]! < baseline.from || timestamps[i]! >= baseline.to) continue;
      count++;
      sum += value;
      squares += value * value;
    }
    const mean = sum / count;
    const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
    let score = best.get(service) ?? 0;
    if (deviation > 0) {
      for (let i = 0; i < values.length; i++) {
        if (timestamps[i]! < incident.from || timestamps[i]! >= incident.to) continue;
        const z = Math.abs(values[i]! - mean) / deviation;
        if (z > score) score = z;
      }
    }
    best.set(service, score);
  }
  return [...best]
    .map(([service, score]) => ({ service, score }))
    .sort((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1));
}
