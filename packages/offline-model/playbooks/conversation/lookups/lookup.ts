/** What a kind of look-up is: which calls it makes, and how their results read. */
import type { PlannedCall } from '../../../decide.ts';
import type { CaseFile } from '../../investigation/case-file.ts';
import type { Chat } from '../chat.ts';
import type { Target } from './target.ts';

export interface Lookup {
  /** What is looked at, for the line that is said meanwhile: `logs`. */
  what: string;
  /** A tool without which there is nothing to look at. */
  tool: string;
  /** What a source must have for it. */
  part: 'logs' | 'changes' | 'dependencies' | 'metrics';
  /**
   * The calls to be made next; those that were made are left out by the replay.
   * @param source the id of the source that has it
   */
  calls(chat: Chat, file: CaseFile, target: Target, source: string): PlannedCall[];
  /** From what the calls returned. */
  answer(chat: Chat, file: CaseFile, target: Target): string;
}
