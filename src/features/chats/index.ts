import type { Room } from '../../room.ts';
import { Chat, ChatTurn } from './entities.ts';
import { chatEditor } from './routes/editor.ts';
import { chatViz, getChart } from './routes/charts.ts';
import { chatOptions, detail, list, remove, rename, search } from './routes/manage.ts';
import { cancelChat, chat, followChat } from './routes/talk.ts';

export { endDeleted, markDeleted, type ChatControlDeps, type DeletedChat } from './control.ts';
export { purgeChat } from './delete.ts';
export { Chat, ChatTurn };
export { createChatTurnLauncher } from './launch.ts';
export { nameChat } from './name-chat.ts';
export { chatProfile, type ChatTools } from './profile.ts';
export { modelTurnsOf } from './model-turns.ts';
export { ChatResponse } from './response-schemas.ts';
export { endOfTurn, streamTurn, turnFor, type TurnCall } from './routes/answer.ts';
export { requesterOf, type ChatDeps } from './routes/deps.ts';
export { finishTurn, type FinishDeps } from './run.ts';
export { StreamQuery, TurnHeaders } from './schemas.ts';
export { findChat, type ChatRequester, type NewMonitoring } from './service.ts';
export { sweepChats } from './sweeper.ts';
export { chatTools, turnRequester } from './tools.ts';
export { titleOfQuestion } from './title.ts';
export { usageOf } from './usage.ts';

export const chatsRoom = {
  name: 'chats',
  endpoints: [
    chat,
    followChat,
    cancelChat,
    chatOptions,
    list,
    search,
    detail,
    rename,
    remove,
    chatViz,
    getChart,
    chatEditor,
  ],
  entities: [Chat, ChatTurn],
} satisfies Room;
