/** Who may read what was found in a conversation. */
import type { EntityManager } from '../../db/orm.ts';
import { requireOneOf, type Principal } from '../../http/authenticate.ts';
import { NotFound } from '../../http/errors.ts';
import { Conversation, ToolCall } from './entities.ts';

/** What a key must grant to see what was found in a run, by kind. */
export type ReadScopes = Readonly<Record<string, string>>;

/**
 * A tool call with its content, for a caller who may read its conversation.
 * @throws {Forbidden} if the caller may not read that kind of conversation
 * @throws {NotFound} if the team has no such call
 */
export async function readableToolCall(
  { readScopes }: { readScopes: ReadScopes },
  em: EntityManager,
  principal: Principal,
  id: string,
): Promise<ToolCall> {
  requireOneOf(principal, ...Object.values(readScopes));
  const call = await em.findOne(ToolCall, { id }, { populate: ['content'] });
  const conversation = call && (await em.findOne(Conversation, { id: call.conversationId }));
  if (!conversation) throw new NotFound('There is no such tool result.');
  requireOneOf(principal, readScopes[conversation.kind] ?? 'team:admin');
  return call;
}
