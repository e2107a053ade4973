import { drawChart } from '../charts/index.ts';
import { investigationTools } from '../investigations/index.ts';
import type { Tool, ToolContext } from '../tools/index.ts';
import { workspaceTools, type WorkspaceDrafts } from '../workspace/index.ts';
import type { Orm } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import { ChatTurn } from './entities.ts';
import type { ChatTools } from './profile.ts';

export type ChatToolDeps = Omit<Parameters<typeof investigationTools>[0], 'requesterOf'> & {
  drafts: WorkspaceDrafts;
  /** Those of every run. */
  runTools: readonly Tool[];
  /** By which an agent reads and changes what it watches; only its own chat has them. */
  monitoring: readonly Tool[];
};

/** On whose behalf the turn runs that calls a tool. */
export const turnRequester =
  (orm: Orm) =>
  async ({ teamId, runId }: ToolContext) => {
    const turn = await forTeam(orm.em, teamId).findOneOrFail(ChatTurn, { id: runId });
    return {
      teamId,
      apiKeyId: turn.createdByCredentialId ?? undefined,
      userId: turn.createdByUserId ?? undefined,
    };
  };

/** Every tool that turns may have; which of them one has, its caller's key and its chat decide. */
export function chatTools(deps: ChatToolDeps): ChatTools {
  const requesterOf = turnRequester(deps.orm);
  const { reading, writing } = workspaceTools(deps.drafts);
  const editing = workspaceTools(seeingOneState(deps.drafts));
  const looking = [...deps.runTools, ...investigationTools({ ...deps, requesterOf }), drawChart, ...reading];
  return {
    answer: [...looking, ...writing],
    chart: [...deps.runTools, drawChart],
    edit: [...deps.runTools, ...editing.reading, ...editing.writing],
    monitor: [...looking, ...deps.monitoring],
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
