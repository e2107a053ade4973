import { drawChart } from '../../../src/features/charts/index.ts';
import { Chat, ChatTurn } from '../../../src/features/chats/index.ts';
import { eventId } from '../../../src/features/chats/stream/event-id.ts';
import { newRun } from '../../../src/features/runs/index.ts';
import { Conversation, Message } from '../../../src/features/transcripts/index.ts';
import { SECRET, type CreateIsolation, type Owner } from '../../http/support/team-isolation.ts';
import { ownedToolCall } from '../transcripts/isolation.ts';

/** A chat of the owner's with one turn, which drew a chart. */
export function ownedChat(owner: Owner) {
  const { em, teamId } = owner;
  const chat = em.create(Chat, { teamId, title: SECRET, titledBy: 'question', lastTurnAt: new Date() });
  em.create(Conversation, { id: chat.id, teamId, kind: 'chat', opening: null });
  const turn = em.create(ChatTurn, {
    ...newRun('chat', chat.id, { teamId, scopes: [] }),
    chatId: chat.id,
    number: 1,
    purpose: 'answer',
    status: 'completed',
    question: SECRET,
    text: SECRET,
    searchText: SECRET,
    firstStep: 1,
    lastStep: 1,
    citations: [],
    startedAt: new Date(),
    finishedAt: new Date(),
  });
  em.create(Message, { teamId, conversationId: chat.id, text: SECRET, deliveredStep: 1 });
  const drawn = ownedToolCall(owner, { name: drawChart.name, conversationId: chat.id });
  return { chat, turn, drawn };
}

export const isolation: CreateIsolation = (owner) => {
  const { chat, turn, drawn } = ownedChat(owner);
  const params = { chat_id: chat.id };
  const messages = [{ role: 'user', content: 'What was said?' }];
  const seen = eventId(turn.id, { logId: 'start', index: 1, place: 0 });
  return {
    examples: {
      chat: { body: { messages, chat_id: chat.id } },
      chatViz: { body: { prompt: 'Draw it', chat_id: chat.id, tool_id: drawn.id } },
      chatEditor: { body: { messages, chat_id: chat.id } },
      followChat: { params, query: { last_event_id: seen } },
      cancelChatTurn: { params },
      getChat: { params },
      updateChatTitle: { params, body: { title: 'mine' } },
      deleteChat: { params },
      searchChats: { query: { q: 'text owner' } },
      getChart: { params: { tool_id: drawn.id } },
    },
    secrets: [chat.id, turn.id, drawn.id],
  };
};
