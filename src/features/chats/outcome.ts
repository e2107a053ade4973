/** What a turn leaves behind beside its words. */
import type { DraftOutcome } from '../workspace/index.ts';

/** A number in brackets in an answer, and what it points to. */
export interface ChatCitation {
  /** The number of the evidence, as the answer has it. */
  n: number;
  /** Absent when the chat has no such evidence. */
  toolCallId?: string;
  tool?: string;
  /** Of the tool result, hexadecimal. */
  sha256?: string;
  /** Verbatim pieces of the tool result that support the claim; empty when none was found. */
  excerpts: string[];
}

/** The result of a turn that draws or edits. */
export interface ChatTurnOutcome {
  /** Calls of `draw_chart` that succeeded; the chart is in their result. */
  charts?: string[];
  changes?: DraftOutcome;
}
