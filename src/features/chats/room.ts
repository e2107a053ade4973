import type { Room, RoomCore } from '../../room.ts';
import type { ExcerptMatcher } from '../citations/index.ts';
import { createProgressReader, createRunLauncher, type RunSettings } from '../runs/index.ts';
import type { WorkspaceDrafts } from '../workspace/index.ts';
import { type ChatControlDeps, sweepChats } from './control.ts';
import { Chat, ChatTurn } from './entities.ts';
import { chatRuns } from './turns/kind.ts';
import { chatEditor, cancelChat, chat, followChat } from './routes/talk.ts';
import { chatViz, getChart } from './routes/charts.ts';
import { chatOptions, detail, list, remove, rename, search } from './routes/manage.ts';
import type { FinishDeps } from './turns/run.ts';

type Needs = RoomCore & {
  config: RunSettings;
  drafts: WorkspaceDrafts;
  matcher: ExcerptMatcher;
  titled: FinishDeps['titled'];
};
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
  scopes: {
    'chats:read': { allows: 'Read', forMembers: true },
    'chats:write': { allows: 'Write', forMembers: true },
    'chats:act': { allows: 'Allow changes to external systems' },
  },
  build({ config: { budget, temporal, timeouts }, client, orm, events, clock, log, drafts, matcher, titled }: Needs) {
    const launcher = createRunLauncher(client, chatRuns, {
      budget,
      taskQueue: temporal.taskQueue,
      deadlineMs: timeouts.temporalMs,
    });
    return {
      chats: { orm, events, clock, log, launcher, drafts, matcher, titled },
      chatProgress: createProgressReader({ query: (id) => launcher.progress(id) }),
    };
  },
  runKinds: [chatRuns],
  sweeps: [({ chats }: { chats: ChatControlDeps }) => sweepChats(chats)],
} satisfies Room;
