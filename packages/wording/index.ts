/** Figures, times, metrics and changes as an engineer would write them. Pure; English; times in UTC. */
export { changeSentence, type Change } from './change.ts';
export { code, sentence, word } from './code.ts';
export { metricPhrase, type MetricName } from './metric.ts';
export {
  blockedLoopPhrase,
  exhaustedPool,
  exhaustionPhrase,
  exhaustionSentence,
  type ExhaustedPool,
} from './mechanism.ts';
export { convert, fromTo, isUnit, quantity } from './quantity.ts';
export { changeStep, confirmation, type ChangeToUndo, type Step } from './recommendation.ts';
export { clockTime, onsetPhrase } from './time.ts';
