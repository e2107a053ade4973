/** A tool result, a text that cites it, and what of the result a reader would point to. */
export interface LabelledCase {
  name: string;
  /** Text, or a JSON value, whose JSON is what excerpts are pieces of. */
  toolResult: unknown;
  text: string;
  citationId: number;
  /** Each must be in some excerpt. Empty: nothing in the result supports the claim, so nothing may be returned. */
  must: string[];
  /** An excerpt may hold one of these instead of one of `must`: context, or a second place that says the same. */
  may?: string[];
  /** An excerpt that holds one of these is wrong, whatever else it holds. */
  never?: string[];
}
