import type { EntityManager } from '../../../db/orm.ts';
import { ModelTurn } from '../../transcripts/index.ts';
import type { ChatTurn } from '../entities.ts';

/** Where a turn's steps are in its chat. */
export type TurnSteps = Pick<ChatTurn, 'chatId' | 'firstStep' | 'lastStep'>;

export const stepsOf = ({ chatId, firstStep, lastStep }: TurnSteps) => ({
  conversationId: chatId,
  step: { $gte: firstStep, ...(lastStep !== null && { $lte: lastStep }) },
});

/** The model turns of a chat turn so far. */
export function modelTurnsOf(em: EntityManager, turn: TurnSteps): Promise<ModelTurn[]> {
  return em.find(ModelTurn, stepsOf(turn), { orderBy: { step: 'asc' } });
}

/** The usage of a turn so far, without reading its text. */
export async function usageSoFar(em: EntityManager, turn: TurnSteps): Promise<ChatUsage> {
  return usageOf(await em.find(ModelTurn, stepsOf(turn), { orderBy: { step: 'asc' }, exclude: ['content'] }));
}

/** Tokens and cost of one answer's model turns, as interface 2.2 names them. */
export interface ChatUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  /** US dollars. */
  cost: number;
  model: string | null;
  api_calls_count: number;
}

type Counted = Pick<
  ModelTurn,
  'inputTokens' | 'outputTokens' | 'cacheCreationInputTokens' | 'cacheReadInputTokens' | 'costUsd' | 'model'
>;

export function usageOf(turns: readonly Counted[]): ChatUsage {
  const sum = (value: (turn: Counted) => number): number => turns.reduce((total, turn) => total + value(turn), 0);
  return {
    input_tokens: sum((turn) => turn.inputTokens),
    output_tokens: sum((turn) => turn.outputTokens),
    cache_creation_input_tokens: sum((turn) => turn.cacheCreationInputTokens),
    cache_read_input_tokens: sum((turn) => turn.cacheReadInputTokens),
    cost: sum((turn) => turn.costUsd),
    model: turns.at(-1)?.model ?? null,
    api_calls_count: turns.length,
  };
}
