/** A tool of the agent loop, and what it may use while it runs. */
import type { z } from 'zod';
import type { Actor } from '../../http/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OnWait, SourceCapability, SourceCatalog } from '../sources/port.ts';
import { compactJson, oneLine } from './text.ts';

/** One item of the run's todo list, shown to the operator. */
export interface PlanItem {
  text: string;
  /** `no_data`: it was worked on, but nothing that was asked brought data. Only the loop says so, never a model. */
  status: 'pending' | 'in_progress' | 'done' | 'skipped' | 'no_data';
}

/**
 * What a source made of a query: `data`; `nothing`, for it has none of what was asked for; `refused`, for it cannot
 * answer that question, such as one about an unknown service; `unavailable`, for it did not answer.
 */
export type SourceAnswer = 'data' | 'nothing' | 'refused' | 'unavailable';

/** Whether sources were asked, and none could answer. */
export function haveSourcesFailed(answers: readonly SourceAnswer[]): boolean {
  return answers.includes('unavailable') && !answers.includes('data') && !answers.includes('nothing');
}

/** Earlier results of the same conversation, by their evidence number. */
export interface EvidenceReader {
  /** @returns the whole stored result, or undefined if the conversation has no such evidence */
  read(evidence: number): Promise<StoredEvidence | undefined>;
  /** @returns the stored result of any of the team's calls that the actor may read, or undefined */
  readById(toolCallId: string): Promise<StoredEvidence | undefined>;
}

/** A stored tool result, which citations point to. Immutable. */
export interface StoredEvidence {
  evidence: number;
  toolCallId: string;
  tool: string;
  /** The source that was queried; absent if none was. */
  source?: string;
  /** The text as the tool returned it: whole, or its start if `characters` says that there is more. */
  content: string;
  /** Length of the whole text, if `content` may be truncated. */
  characters?: number;
  /** Hexadecimal sha256 of `content` in UTF-8. */
  sha256: string;
}

export interface ToolContext {
  conversationId: string;
  /** The run within the conversation: a turn of a chat; the conversation's own id if it is a single run. */
  runId: string;
  /** Unique to this call and the same for every attempt to make it, which is what makes a write idempotent. */
  toolCallId: string;
  teamId: string;
  /** On whose behalf the call is made; a tool is called only if their scopes grant what it requires. */
  actor: Actor;
  sources: SourceCatalog;
  evidence: EvidenceReader;
  /** Fixed at the moment the model asked for the call, for every attempt. */
  clock: Clock;
  /** Fires on cancellation and on the tool's timeout. */
  signal: AbortSignal;
  /**
   * Asked when the signal fires: whether nobody wants the answer any more. False if only this attempt ends and another
   * will want it. Absent: nobody does.
   */
  isGivenUp?: () => boolean;
  /** The tool's timeout does not count while it waits. */
  onWait?: OnWait;
}

/** What a tool returns. `content` is stored whole; the model sees a bounded view of it. */
export interface ToolOutput {
  /** Text (JSON if the tool returns data), or raw bytes if the source returned something else. */
  content: string | Uint8Array;
  /** One line for the operator and the workflow history, at most 200 characters. */
  digest: string;
  /** The tool understood the call but could not carry it out; the model should try something else. */
  isError?: boolean;
  /** For tools that query telemetry. */
  answer?: SourceAnswer;
  /** The id of the source that was queried, for tools whose input does not name it. */
  source?: string;
  /** What the run itself must act on, beyond the text. */
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
   * JSON Schema of an object for the model, in place of the one derived from `input`: for tools whose input is checked
   * by whoever answers.
   */
  inputSchema?: Record<string, unknown>;
  /** What it queries, if it queries a source. */
  capability?: SourceCapability;
  /** The scope the actor needs for the tool to be offered and called; absent if reading is enough. */
  requires?: string;
  /**
   * It changes something beyond Casebook's own runs (files, tickets, messages): offered only if caller and conversation
   * allow side effects.
   */
  sideEffect?: boolean;
  /**
   * For a tool with side effects: it may also be offered where these are not allowed, and a person then approves each
   * call for which this is true. The others have no effect.
   */
  approval?(input: Input): boolean;
  /** A repeated call is a new question (something that is waited for) and is never answered from the record. */
  repeatable?: boolean;
  /** Overrides the default timeout of a call, in seconds. */
  timeoutSeconds?: number;
  /** The call in one line for the operator, from validated input; at most 120 characters. */
  summarize(input: Input): string;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** Tools that only one team has. */
export interface TeamTools {
  tools: readonly Tool[];
  /** Instructions about them for the model; absent if there are none. */
  instructions?: string;
}

/** The team's own tools right now. The same tools come back as the same objects. */
export type LoadTeamTools = (teamId: string) => Promise<TeamTools>;

/** Ties a tool's input type to its schema. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}

/** Results of these come from the model itself and prove nothing. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'update_plan',
  'submit_report',
  'submit_check_result',
  'update_monitoring_plan',
]);

/** @returns whether a tool's results can be cited as evidence */
export function isCitable(tool: string): boolean {
  return !OWN_WORDS.has(tool);
}

export const DIGEST_CHARACTERS = 200;

/** A result as compact JSON, with its digest for the operator. */
export function jsonOutput(result: object, digest: string, effect?: ToolEffect): ToolOutput {
  const output = { content: compactJson(result), digest: oneLine(digest, DIGEST_CHARACTERS) };
  return effect === undefined ? output : { ...output, effect };
}

/**
 * A call that could not be answered, in words that tell the model what would work.
 * @param details further properties next to `error`
 */
export function errorOutput(message: string, details: object = {}): ToolOutput {
  return {
    content: compactJson({ error: message, ...details }),
    digest: oneLine(`Error: ${message}`, DIGEST_CHARACTERS),
    isError: true,
  };
}
