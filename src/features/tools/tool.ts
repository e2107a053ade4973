/** What a tool of the agent loop is, and what it may touch while it runs. */
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { SourceCatalog } from '../sources/port.ts';

/** One item of the run's todo list, shown to the operator. */
export interface PlanItem {
  text: string;
  status: 'pending' | 'in_progress' | 'done' | 'skipped';
}

/** Earlier results of the same conversation, by their evidence number. */
export interface EvidenceReader {
  /** @returns the whole stored result, or undefined when the conversation has no such evidence */
  read(evidence: number): Promise<StoredEvidence | undefined>;
  /** @returns the stored result of any call of the team, also of another conversation, or undefined */
  readById(toolCallId: string): Promise<StoredEvidence | undefined>;
}

/** A stored tool result: what citations point to. Immutable once written. */
export interface StoredEvidence {
  evidence: number;
  toolCallId: string;
  tool: string;
  /** The text as the tool returned it: whole, or its beginning where `characters` says that there is more. */
  content: string;
  /** Length of the whole text, where `content` may be cut. */
  characters?: number;
  /** Hexadecimal sha256 of `content` in UTF-8. */
  sha256: string;
}

export interface ToolContext {
  conversationId: string;
  /** The run within the conversation: a turn of a chat; the conversation's own id where it is one run. */
  runId: string;
  /** Unique to this call and the same for every attempt to make it: what makes a write idempotent. */
  toolCallId: string;
  teamId: string;
  sources: SourceCatalog;
  evidence: EvidenceReader;
  /** Stands at the moment at which the model asked for the call, for every attempt. */
  clock: Clock;
  /** Fires on cancel and on the tool's time-out. */
  signal: AbortSignal;
  /**
   * Asked when the signal fires: whether nobody wants the answer any more. False where only this attempt ends and
   * another one will want it. Absent: nobody does.
   */
  isGivenUp?: () => boolean;
}

/** What a tool gives back. `content` is stored whole; the model sees a bounded view of it. */
export interface ToolOutput {
  /** Text (JSON where the tool returns data), or raw bytes when the source returned something that is not text. */
  content: string | Uint8Array;
  /** One line for the operator and the workflow history, at most 200 characters. */
  digest: string;
  /** The tool understood the call but could not do it; the model should try otherwise. */
  isError?: boolean;
  /** What the run itself must take note of, beyond the text. */
  effect?: ToolEffect;
}

export type ToolEffect =
  | { kind: 'plan'; items: PlanItem[] }
  /** The run has its result: the loop ends after this turn. `result` is stored with the conversation. */
  | { kind: 'finish'; result: Record<string, unknown> };

/** A tool as the registry holds it. */
export interface Tool<Input = unknown> {
  /** The name the model calls, snake_case. */
  name: string;
  description: string;
  input: z.ZodType<Input>;
  /**
   * JSON Schema of an object that the model is given in place of one made of `input`: for tools whose input is checked
   * by whoever answers.
   */
  inputSchema?: Record<string, unknown>;
  /**
   * The scope that the caller's API key must have for the tool to be offered; absent means that reading is enough.
   */
  requires?: string;
  /**
   * It changes something that stays beyond Casebook's own runs (files, tickets, messages): offered only where caller and
   * conversation allow side effects.
   */
  sideEffect?: boolean;
  /** The same call again is a new question (something that is waited for): it is never answered from the record. */
  repeatable?: boolean;
  /** Overrides the default per-call time-out, in seconds. */
  timeoutSeconds?: number;
  /** The call in one line for the operator, from validated input; at most 120 characters. */
  summarize(input: Input): string;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** Tools that only one team has. */
export interface TeamTools {
  tools: readonly Tool[];
  /** What the model is told about them; absent where there is nothing to tell. */
  instructions?: string;
}

/** The team's own tools at this moment. The same tools come back as the same objects. */
export type LoadTeamTools = (teamId: string) => Promise<TeamTools>;

/** Ties a tool's input type to its schema. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}
