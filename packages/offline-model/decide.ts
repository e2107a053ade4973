/** Picks the playbook that answers: the first that fits. */
import type Anthropic from '@anthropic-ai/sdk';
import { check } from './playbooks/checks/index.ts';
import { connectedTools, type ConnectedTool, type ToolDefinition } from './playbooks/connected/catalogue.ts';
import { conversation } from './playbooks/conversation/index.ts';
import { investigation } from './playbooks/investigation/index.ts';
import { monitoring } from './playbooks/monitoring/index.ts';
import { task } from './playbooks/tasks/index.ts';
import type { AnswerBlock } from './protocol.ts';
import { readTranscript, type Transcript } from './transcript.ts';

export interface PlannedCall {
  name: string;
  input: Record<string, unknown>;
}

/** One turn of the model: text for the reader, then calls that run in parallel. */
export interface Turn {
  text: string;
  calls: PlannedCall[];
}

export interface Situation {
  transcript: Transcript;
  /** Tools that may be called now. */
  tools: ReadonlySet<string>;
  /** Tools that exist, even when none may be called any more. */
  offered: ReadonlySet<string>;
  /** Those of them that read a system that the team has connected. */
  connected: readonly ConnectedTool[];
  /** Connected systems that the instructions name, whether or not their tools are offered. */
  systems: readonly string[];
  /** Repositories that pull requests can be suggested for, as `owner/name`. */
  repositories: readonly string[];
  /** The run is at a limit: only its result may still be submitted. */
  isConcluding: boolean;
  /** Set when the system prompt asks for something other than an answer in words. */
  purpose?: 'chart' | 'edit';
}

export interface Playbook {
  fits(situation: Situation): boolean;
  play(situation: Situation): Turn;
}

const ID_PREFIX = 'toolu_offline_';
const GIVEN_ID = new RegExp(String.raw`^${ID_PREFIX}(\d+)_`);

const PURPOSES: [RegExp, 'chart' | 'edit'][] = [
  [/^You are Casebook\. The person wants a chart\b/, 'chart'],
  [/^You are Casebook, editing the files\b/, 'edit'],
];

const PLAYBOOKS: readonly Playbook[] = [task, check, investigation, monitoring, conversation];

/** The next answer in a conversation, a pure function of it. Ids of tool calls are unique within a conversation. */
export function decide(
  messages: Anthropic.MessageParam[],
  tools: readonly ToolDefinition[],
  toolChoice: Anthropic.ToolChoice,
  system = '',
): AnswerBlock[] {
  const transcript = readTranscript(messages);
  const offered = new Set(tools.map((tool) => tool.name));
  const situation: Situation = {
    transcript,
    tools: callable(offered, toolChoice),
    offered,
    connected: connectedTools(tools),
    systems: systemsIn(system),
    repositories: repositoriesIn(system),
    isConcluding: toolChoice.type === 'tool' || toolChoice.type === 'none',
    purpose: PURPOSES.find(([said]) => said.test(system))?.[1],
  };
  const playbook = PLAYBOOKS.find((candidate) => candidate.fits(situation)) ?? conversation;
  const { text, calls } = playbook.play(situation);
  const number = turnNumber(transcript);
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls
      .filter((call) => situation.tools.has(call.name))
      .map((call, index) => ({ type: 'tool_use' as const, id: `${ID_PREFIX}${number}_${index + 1}`, ...call })),
  ];
}

/** As the instructions list them: `orders-db (postgresql), edge (cloudflare)`. */
function systemsIn(system: string): string[] {
  const list =
    /^- The team has connected systems of its own: (.{0,5000}?)\. They are queried/mu.exec(system)?.[1] ?? '';
  return [...list.matchAll(/([\w-]+) \([\w-]+\)/gu)].map(([, name = '']) => name);
}

/** As the instructions list them: `acme/shop, acme/pay and 3 more.` */
function repositoriesIn(system: string): string[] {
  const list = /^- Pull requests can be suggested for: (.{0,5000}?)(?: and \d+ more)?\.$/mu.exec(system)?.[1] ?? '';
  return list.split(', ').filter((name) => /^[^\s/]+(?:\/[^\s/]+)+$/u.test(name));
}

function callable(offered: ReadonlySet<string>, choice: Anthropic.ToolChoice): ReadonlySet<string> {
  if (choice.type === 'none') return new Set();
  return choice.type === 'tool' ? new Set([choice.name]) : offered;
}

/** A compacted conversation has lost its beginning, but later calls keep their ids. */
function turnNumber({ turn, calls }: Transcript): number {
  const given = calls.map(({ id }) => Number(GIVEN_ID.exec(id)?.[1] ?? -1));
  return Math.max(turn, 1 + Math.max(-1, ...given));
}
