import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { forTeam } from '../../db/team-filter.ts';
import type { ModelRequest } from '../../platform/anthropic/port.ts';
import { AuxiliaryCall } from '../transcripts/index.ts';
import type { Attempt, RunDeps } from './deps.ts';
import { untilReachable } from './persistence.ts';
import { storableText } from './storable.ts';

export interface AuxiliaryQuestion {
  teamId: string;
  conversationId: string;
  /** What it is for: `title`, `summary` … */
  purpose: string;
  /** Which of its purpose; the same question must have the same key. */
  key: string;
  request: Pick<ModelRequest, 'system' | 'maxTokens' | 'model'> & { text: string };
}

/**
 * Asks the model something beside the conversation, once: the answer is stored with its cost, and a retry returns the
 * stored one.
 * @returns the text of the answer
 * @throws {ModelError} when the model gave no complete answer
 */
export async function askOnce(
  deps: Pick<RunDeps, 'orm' | 'model'>,
  question: AuxiliaryQuestion,
  attempt: Pick<Attempt, 'signal'>,
): Promise<string> {
  const { teamId, conversationId, purpose, key } = question;
  const { text, ...request } = question.request;
  const stored = (): Promise<AuxiliaryCall | null> =>
    forTeam(deps.orm.em, teamId).findOne(AuxiliaryCall, { conversationId, purpose, key });
  const earlier = await untilReachable(stored, attempt.signal);
  if (earlier) return earlier.text;
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
  const store = async (): Promise<string> => {
    const em = forTeam(deps.orm.em, teamId);
    try {
      em.create(AuxiliaryCall, row);
      await em.flush();
      return row.text;
    } catch (error) {
      const winner = error instanceof UniqueConstraintViolationException ? await stored() : null;
      if (!winner) throw error;
      return winner.text;
    }
  };
  return untilReachable(store, attempt.signal);
}
