import { chatEditor } from './routes/editor.ts';
import { chatViz, getChart } from './routes/charts.ts';
import { chatOptions, detail, list, remove, rename, search } from './routes/manage.ts';
import { cancelChat, chat, followChat } from './routes/talk.ts';

export type { ChatControlDeps } from './control.ts';
export { Chat, ChatTurn } from './entities.ts';
export { createChatTurnLauncher } from './launch.ts';
export { nameChat } from './name-chat.ts';
export { chatProfile, type ChatTools } from './profile.ts';
export type { ChatDeps } from './routes/deps.ts';
export { finishTurn, type FinishDeps } from './run.ts';
export { sweepChats } from './sweeper.ts';
export { chatTools } from './tools.ts';

export const chatEndpoints = [
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
];
