import type { Tone } from '../../../components/ui/badge.tsx';
import type { Report } from '../queries.ts';

const STAGES: readonly { from: number; words: string; tone: Tone }[] = [
  { from: 0.9, words: 'Very likely', tone: 'good' },
  { from: 0.7, words: 'Likely', tone: 'good' },
  { from: 0.5, words: 'More likely than not', tone: 'warn' },
  { from: 0.25, words: 'Uncertain', tone: 'warn' },
  { from: 0, words: 'A guess', tone: 'bad' },
];

/** A probability in words. @param confidence from 0 to 1 */
export function confidenceWords(confidence: number): { words: string; tone: Tone } {
  return STAGES.find(({ from }) => confidence >= from) ?? { words: 'Unknown', tone: 'neutral' };
}

/** Why a confidence is what it is. */
export function confidenceBasis({ confidence, confidence_basis: basis }: Report): string {
  if (basis === 'stated') return "The confidence is the model's own estimate.";
  const percent = Math.round(confidence * 100);
  return `With evidence this strong, the top suspect was at fault in ${percent} of 100 known incidents.`;
}
