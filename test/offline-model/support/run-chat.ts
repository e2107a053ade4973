/** Drives a chat with the offline model: the real SDK client and server, the real tools, turns as a chat has them. */
import type { SourceCatalog } from '../../../src/features/sources/port.ts';
import {
  createToolRegistry,
  frameToolResult,
  normalizeOutput,
  sharedTools,
  viewOf,
  type Tool,
  type ToolOutput,
} from '../../../src/features/tools/index.ts';
import type { StoredEvidence } from '../../../src/features/tools/tool.ts';
import type { ContentBlockParam, MessageParam, ModelClient } from '../../../src/platform/anthropic/index.ts';
import { storedEvidence, toolContext } from '../../support/tool-context.ts';

/** More than the playbook may ever take, so that a loop is seen as one. */
const MAX_TURNS = 20;
const NOW = '2026-11-20T09:00:00.000Z';

export interface ChatOptions {
  sources: SourceCatalog;
  /** Beside or instead of the reading tools. */
  tools?: readonly Tool[];
  /** The system prompt; what it says a turn is for decides what is done. */
  system?: string;
  /** Replaces what a tool would return; undefined leaves it alone. */
  intercept?: (tool: string, input: unknown, attempt: number) => ToolOutput | undefined;
}

export interface MadeCall {
  tool: string;
  input: Record<string, unknown>;
  isError: boolean;
  evidence: number;
}

/** What came of one question. */
export interface Answered {
  /** The words of the last model turn. */
  text: string;
  /** The words before it, one for each model turn. */
  narration: string[];
  calls: MadeCall[];
  turns: number;
}

export interface Chat {
  messages: MessageParam[];
  evidence: StoredEvidence[];
  /** @param more.concludeAt the model turn, from 0, at which the loop asks for the end */
  ask(question: string, more?: { concludeAt?: number; context?: string; now?: string }): Promise<Answered>;
}

export function openChat(model: ModelClient, options: ChatOptions): Chat {
  const registry = createToolRegistry(options.tools ?? sharedTools);
  const evidence: StoredEvidence[] = [];
  const messages: MessageParam[] = [];
  const context = toolContext({ sources: options.sources, evidence });
  const attempts = new Map<string, number>();

  async function call(name: string, input: unknown): Promise<ToolOutput> {
    const attempt = attempts.get(name) ?? 0;
    attempts.set(name, attempt + 1);
    return options.intercept?.(name, input, attempt) ?? registry.invoke(name, input, context);
  }

  return {
    messages,
    evidence,
    async ask(question, { concludeAt = Infinity, context: told, now = NOW } = {}) {
      const answered: Answered = { text: '', narration: [], calls: [], turns: 0 };
      const first = ['<context>', `It is now ${now}.`, ...(told ? [told] : []), '</context>'].join('\n');
      messages.push({ role: 'user', content: [text(first), text(question)] });
      while (answered.turns < MAX_TURNS) {
        const conclude = answered.turns >= concludeAt;
        if (conclude) addNote(messages);
        const answer = await model.complete(
          {
            system: options.system ?? 'You chat.',
            messages,
            tools: registry.definitions(),
            toolChoice: { type: conclude ? 'none' : 'auto' },
            maxTokens: 8_000,
          },
          { signal: context.signal },
        );
        answered.turns += 1;
        messages.push({ role: 'assistant', content: answer.content });
        const said = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
        const results: ContentBlockParam[] = [];
        for (const block of answer.content) {
          if (block.type !== 'tool_use') continue;
          const output = await call(block.name, block.input);
          const { content } = normalizeOutput(output);
          const number = evidence.length + 1;
          evidence.push(storedEvidence(number, block.name, content));
          const input = { ...(block.input as object) };
          answered.calls.push({ tool: block.name, input, isError: output.isError ?? false, evidence: number });
          const framed = frameToolResult({ evidence: number, tool: block.name, view: viewOf(content) });
          results.push({
            type: 'tool_result',
            tool_use_id: block.id,
            is_error: output.isError,
            content: [text(framed)],
          });
        }
        if (results.length === 0) return { ...answered, text: said };
        answered.narration.push(said);
        messages.push({ role: 'user', content: results });
      }
      throw new Error(`no answer after ${MAX_TURNS} model turns`);
    },
  };
}

function addNote(messages: MessageParam[]): void {
  const last = messages.at(-1);
  const note = text('The limit of steps for this run is reached. Answer now, with what you have found so far.');
  if (last?.role === 'user' && typeof last.content !== 'string') last.content.push(note);
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}
