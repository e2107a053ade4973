/** What the offline model answers: the first playbook that fits the transcript writes it. */
import type Anthropic from '@anthropic-ai/sdk';
import { conversation } from './playbooks/conversation.ts';
import { investigation } from './playbooks/investigation/index.ts';
import type { AnswerBlock } from './protocol.ts';
import { readTranscript, type Transcript } from './transcript.ts';

/** A tool call before it has an id. */
export interface PlannedCall {
  name: string;
  input: Record<string, unknown>;
}

/** What a playbook says in one turn: words for the reader, then calls that run side by side. */
export interface Turn {
  text: string;
  calls: PlannedCall[];
}

export interface Situation {
  transcript: Transcript;
  /** Names of the tools on offer. */
  tools: ReadonlySet<string>;
  /** A tool that must be called in this turn. */
  forcedTool?: string;
}

export interface Playbook {
  name: string;
  fits(situation: Situation): boolean;
  /** Pure: the same situation gives the same turn. */
  play(situation: Situation): Turn;
}

/** In order; the last one always fits. */
const PLAYBOOKS: readonly Playbook[] = [investigation, conversation];

/**
 * The next answer in a conversation: a pure function of it. Ids of tool calls are made of the turn's and the call's
 * position, so they are unique within a conversation and the same for the same conversation.
 */
export function decide(
  messages: Anthropic.MessageParam[],
  tools: Pick<Anthropic.Tool, 'name'>[],
  toolChoice: Anthropic.ToolChoice,
): AnswerBlock[] {
  const transcript = readTranscript(messages);
  const names = toolChoice.type === 'none' ? [] : tools.map((tool) => tool.name);
  const situation: Situation = {
    transcript,
    tools: new Set(names),
    forcedTool: toolChoice.type === 'tool' ? toolChoice.name : undefined,
  };
  const playbook = PLAYBOOKS.find((candidate) => candidate.fits(situation)) ?? conversation;
  const { text, calls } = playbook.play(situation);
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls
      .filter((call) => situation.tools.has(call.name))
      .map((call, index) => ({
        type: 'tool_use' as const,
        id: `toolu_offline_${transcript.turn}_${index + 1}`,
        ...call,
      })),
  ];
}
