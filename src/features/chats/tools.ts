import { drawChart } from '../charts/index.ts';
import { investigationTools } from '../investigations/index.ts';
import { sharedTools, type ToolContext } from '../tools/index.ts';
import { workspaceTools, type WorkspaceDrafts } from '../workspace/index.ts';
import { forTeam } from '../../db/team-filter.ts';
import { ChatTurn } from './entities.ts';
import type { ChatTools } from './profile.ts';

export type ChatToolDeps = Omit<Parameters<typeof investigationTools>[0], 'requesterOf'> & { drafts: WorkspaceDrafts };

/** Every tool that turns may have; which of them one has, its caller's key and its chat decide. */
export function chatTools(deps: ChatToolDeps): ChatTools {
  const requesterOf = async ({ teamId, runId }: ToolContext) => {
    const turn = await forTeam(deps.orm.em, teamId).findOneOrFail(ChatTurn, { id: runId });
    return {
      teamId,
      apiKeyId: turn.createdByKeyId ?? undefined,
      userId: turn.createdByUserId ?? undefined,
    };
  };
  const { reading, writing } = workspaceTools(deps.drafts);
  const editing = workspaceTools(seeingOneState(deps.drafts));
  return {
    answer: [...sharedTools, ...investigationTools({ ...deps, requesterOf }), drawChart, ...reading, ...writing],
    chart: [...sharedTools, drawChart],
    edit: [...sharedTools, ...editing.reading, ...editing.writing],
  };
}

/** An edit is made against what was read: from its first look on a turn sees one state of the files. */
function seeingOneState(drafts: WorkspaceDrafts): WorkspaceDrafts {
  return {
    ...drafts,
    async view(run, options) {
      await drafts.open(run, options);
      return drafts.view(run, options);
    },
  };
}
