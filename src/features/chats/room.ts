import type { Room, RoomCore } from '../../room.ts';
import type { ExcerptMatcher } from '../citations/index.ts';
import type { InvestigationServiceDeps } from '../investigations/index.ts';
import { createProgressReader } from '../runs/index.ts';
import type { LoadTeamTools, Tool } from '../tools/index.ts';
import type { WorkspaceDrafts } from '../workspace/index.ts';
import type { ChatControlDeps } from './control.ts';
import { Chat, ChatTurn } from './entities.ts';
import { createChatTurnLauncher } from './launch.ts';
import { chatProfile } from './profile.ts';
import { chatEditor } from './routes/editor.ts';
import { chatViz, getChart } from './routes/charts.ts';
import { chatOptions, detail, list, remove, rename, search } from './routes/manage.ts';
import { cancelChat, chat, followChat } from './routes/talk.ts';
import type { FinishDeps } from './run.ts';
import { sweepChats } from './sweeper.ts';
import { chatTools } from './tools.ts';

type Needs = RoomCore & { drafts: WorkspaceDrafts; matcher: ExcerptMatcher; titled: FinishDeps['titled'] };
type RunNeeds = RoomCore & {
  drafts: WorkspaceDrafts;
  teamTools: LoadTeamTools;
  investigations: InvestigationServiceDeps;
  monitoringTools: readonly Tool[];
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
  build({ config: { budget, temporal, timeouts }, client, orm, events, clock, log, drafts, matcher, titled }: Needs) {
    const launcher = createChatTurnLauncher(client, budget, temporal.taskQueue, timeouts.temporalMs);
    return {
      chats: { orm, events, clock, log, launcher, drafts, matcher, titled },
      chatProgress: createProgressReader({ query: (id) => launcher.progress(id) }),
    };
  },
  runKinds({ runTools, drafts, teamTools, investigations, monitoringTools: monitoring }: RunNeeds) {
    const tools = chatTools({ ...investigations, runTools, drafts, monitoring });
    return { chat: { tools: Object.values(tools).flat(), profile: chatProfile(tools, teamTools) } };
  },
  sweeps: [({ chats }: { chats: ChatControlDeps }) => sweepChats(chats)],
} satisfies Room;
