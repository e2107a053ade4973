/**
 * Chats for tests that kill processes. Each has a name in its question, by which the scripted model knows what to say
 * and the tests count what it was asked: one look around, then an answer that is held in mid-sentence. Asked for that
 * answer again, the model says the same, or in a case whose name ends in `-other` something else.
 */
import assert from 'node:assert/strict';
import { ask, questionOf, taskOf } from '../features/chats/script.ts';
import { askAndFollow, followChat, type ChatFollower, type FollowOptions } from './chat-follower.ts';
import type { ScriptContext, ScriptedModel, ScriptedStep } from './scripted-model/index.ts';

const LOOK = 'I look around.';
const answerOf = (name: string, attempt: number): string => {
  const cause = attempt > 0 && name.endsWith('-other') ? 'the cache of the catalog service' : 'the pool of payment';
  return `About ${name}: it is ${cause} [1], “exhausted” since noon. Everything that is slow waits for it.`;
};
/** The beginning of an answer, which is said before the model is held. */
const HALF = 'it is the pool';

export function playChats({ request, attempt }: ScriptContext): ScriptedStep {
  if (taskOf(request) !== undefined) return { text: 'A title' };
  const { name, step } = questionOf(request);
  if (step === 0) return { thinking: 'Hm.', text: LOOK, toolUses: [{ name: 'list_sources', input: {} }] };
  const answer: ScriptedStep = { thinking: 'So.', text: answerOf(name, attempt), deltaCharacters: 6 };
  return attempt === 0 ? { ...answer, hold: { gate: name, at: 'middle' } } : answer;
}

/** Where chats are had: one API or several. */
export interface ChatPlace {
  model: ScriptedModel;
  /** Each one's API, by the number of the connection. */
  urls: Record<'asker' | 'watcher' | 'replay', FollowOptions['url']>;
  apiKey: string;
  get<T>(path: string): Promise<T>;
}

export interface HeldChat {
  name: string;
  chatId: string;
  turnId: string;
  /** Who asked, and goes on with the same request. */
  asker: ChatFollower;
  /** Somebody else who follows the chat, with tools. */
  watcher: ChatFollower;
  release(): void;
  /** How often the model was asked for the first look and for the answer. */
  asked(): number[];
  /** Answers of the model that were complete. */
  answered(): number;
}

/** Begins a chat and waits until both clients see the half of its answer. */
export async function startHeldChat(place: ChatPlace, name: string): Promise<HeldChat> {
  const { model, apiKey, urls } = place;
  const asker = askAndFollow({ url: urls.asker, apiKey, question: ask(name) });
  const { chatId, messageId: turnId } = await asker.start();
  const watcher = followChat({ url: urls.watcher, apiKey, chatId, include: 'tools' });
  await model.waitForHold(name);
  await Promise.all([asker.shows(HALF), watcher.shows(HALF)]);
  const requests = () =>
    model.requests.filter(({ body }) => taskOf(body) === undefined && questionOf(body).name === name);
  return {
    name,
    chatId,
    turnId,
    asker,
    watcher,
    release: () => model.release(name),
    asked: () => [0, 1].map((step) => requests().filter(({ body }) => questionOf(body).step === step).length),
    answered: () => requests().filter(({ finished }) => finished).length,
  };
}

interface Detail {
  messages: { turn: { status: string; text: string; usage: { api_calls_count: number } } | null }[];
}

/**
 * Waits for the end and checks what must be true whatever was killed: the answer is complete, and both clients have it
 * byte for byte, have missed nothing and seen nothing twice.
 * @param attempt the attempt whose answer is expected, from 0
 */
export async function checkAnswered(place: ChatPlace, chat: HeldChat, attempt = 0): Promise<void> {
  const { chatId, name, asker, watcher } = chat;
  await Promise.all([asker.ended, watcher.ended]);
  assert.deepEqual([...asker.refusals, ...watcher.refusals], []);
  const { messages } = await place.get<Detail>(`/api/chat/${chatId}`);
  const turn = messages.at(-1)?.turn;
  const text = `${LOOK}\n\n${answerOf(name, attempt)}`;
  assert.deepEqual({ status: turn?.status, text: turn?.text }, { status: 'completed', text });
  assert.equal(turn?.usage.api_calls_count, 2);
  for (const [follower, include] of [
    [asker, undefined],
    [watcher, 'tools'],
  ] as const) {
    assert.equal(follower.text(), text);
    assert.equal(new Set(follower.events.map(({ id }) => id)).size, follower.events.length);
    const replay = followChat({ url: place.urls.replay, apiKey: place.apiKey, chatId, include });
    await replay.ended;
    assert.deepEqual(follower.events, replay.events, 'who was there all along saw what a replay shows');
  }
}
