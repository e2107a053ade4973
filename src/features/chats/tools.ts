import { drawChart } from '../charts/index.ts';
import { investigationTools } from '../investigations/index.ts';
import type { Tool } from '../tools/index.ts';
import { workspaceTools, type WorkspaceDrafts } from '../workspace/index.ts';
import type { ChatTools } from './profile.ts';

export type ChatToolDeps = Parameters<typeof investigationTools>[0] & {
  drafts: WorkspaceDrafts;
  /** Tools of every run. */
  runTools: readonly Tool[];
  /** Tools that read and change what an agent watches; only its own chat has them. */
  monitoring: readonly Tool[];
};

/** Every tool turns may have; the caller's credential and the chat decide which. */
export function chatTools(deps: ChatToolDeps): ChatTools {
  const { reading, writing } = workspaceTools(deps.drafts);
  const editing = workspaceTools(seeingOneState(deps.drafts));
  const looking = [...deps.runTools, ...investigationTools(deps), drawChart, ...reading];
  return {
    answer: [...looking, ...writing],
    chart: [...deps.runTools, drawChart],
    edit: [...deps.runTools, ...editing.reading, ...editing.writing],
    monitor: [...looking, ...deps.monitoring],
  };
}

/** An edit applies to what was read: from its first look on, a turn sees one state of the files. */
function seeingOneState(drafts: WorkspaceDrafts): WorkspaceDrafts {
  return {
    ...drafts,
    async view(run, options) {
      await drafts.open(run, options);
      return drafts.view(run, options);
    },
  };
}
