/** What a turn produces besides its text. */
import type { DraftOutcome } from '../workspace/index.ts';

/** A number in brackets in an answer, and what it points to. */
export interface ChatCitation {
  /** The evidence number, as in the answer. */
  n: number;
  /** Absent if the chat has no such evidence. */
  toolCallId?: string;
  tool?: string;
  /** Hexadecimal digest of the tool result. */
  sha256?: string;
  /** Verbatim excerpts of the tool result that support the claim; empty if there are none. */
  excerpts: string[];
}

/** The result of a chart or edit turn. */
export interface ChatTurnOutcome {
  /** Successful `draw_chart` calls; the chart is in their result. */
  charts?: string[];
  changes?: DraftOutcome;
}
