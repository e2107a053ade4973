import type { Tone } from '../../../components/ui/badge.tsx';

const STAGES: readonly { from: number; words: string; tone: Tone }[] = [
  { from: 0.9, words: 'Very likely', tone: 'good' },
  { from: 0.7, words: 'Likely', tone: 'good' },
  { from: 0.5, words: 'More likely than not', tone: 'warn' },
  { from: 0.25, words: 'Uncertain', tone: 'warn' },
  { from: 0, words: 'A guess', tone: 'bad' },
];

/** A probability in words. @param confidence from 0 to 1 */
export function confidenceWords(confidence: number): { words: string; tone: Tone } {
  return STAGES.find(({ from }) => confidence >= from) ?? { words: 'Not known', tone: 'neutral' };
}
