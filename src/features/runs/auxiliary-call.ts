import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import type { ModelRequest } from '../../platform/anthropic/port.ts';
import { AuxiliaryCall, Conversation } from '../transcripts/index.ts';
import type { Attempt, RunDeps } from './deps.ts';
import { RunClosed } from './errors.ts';
import { reaching } from '../../db/reach.ts';
import { storableText } from '../../platform/storable.ts';

export interface AuxiliaryQuestion {
  teamId: string;
  conversationId: string;
  /** Its purpose: `title`, `summary` … */
  purpose: string;
  /** Distinguishes calls of one purpose; the same question must have the same key. */
  key: string;
  /** The answer belongs to a stored conversation; nothing is kept for one deleted meanwhile. */
  ofConversation?: true;
  request: Pick<ModelRequest, 'system' | 'maxTokens' | 'model'> & { text: string };
}

export type AuxiliaryAnswer = Pick<AuxiliaryCall, 'text' | 'costUsd'>;

/**
 * Asks the model something beside the conversation, once: the answer is stored with its cost, and a retry returns the
 * stored one.
 * @returns the answer's text and what it cost, in US dollars
 * @throws {ModelError} when the model gave no complete answer
 * @throws {RunClosed} when the conversation was deleted
 */
export async function askOnce(
  deps: Pick<RunDeps, 'orm' | 'model'>,
  question: AuxiliaryQuestion,
  attempt: Pick<Attempt, 'signal'>,
): Promise<AuxiliaryAnswer> {
  const { teamId, conversationId, purpose, key } = question;
  const { text, ...request } = question.request;
  const reach = reaching(deps, question, attempt);
  const stored = (em: EntityManager): Promise<AuxiliaryCall | null> =>
    em.findOne(AuxiliaryCall, { conversationId, purpose, key });
  const earlier = await reach(stored);
  if (earlier) return earlier;
  const messages = [{ role: 'user' as const, content: text }];
  const response = await deps.model.complete({ ...request, messages, tools: [] }, { signal: attempt.signal });
  const answer = response.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const row = {
    teamId,
    conversationId,
    purpose,
    key,
    text: storableText(answer),
    stopReason: response.stopReason,
    provider: deps.model.provider,
    model: response.model,
    ...response.usage,
    costUsd: response.costUsd,
  };
  return reach(async (rows): Promise<AuxiliaryAnswer> => {
    try {
      await rows.transactional(async (em) => {
        if (question.ofConversation) await lockConversation(em, conversationId);
        em.create(AuxiliaryCall, row);
      });
      return row;
    } catch (error) {
      const winner = error instanceof UniqueConstraintViolationException ? await stored(rows.fork()) : null;
      if (!winner) throw error;
      return winner;
    }
  });
}

/** A deletion waits for whoever is adding to the conversation, or they see it. */
async function lockConversation(em: EntityManager, id: string): Promise<void> {
  if (!(await em.findOne(Conversation, { id }, { lockMode: LockMode.PESSIMISTIC_READ }))) throw new RunClosed();
}
