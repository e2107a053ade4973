/** Stored proposals, as runs leave them. */
import { randomUUID } from 'node:crypto';
import type { Orm } from '../../../src/db/orm.ts';
import { proposalInput } from '../../../src/features/pull-requests/proposal/schema.ts';
import { suggestionOf } from '../../../src/features/pull-requests/proposal/suggestion.ts';
import { storeInvestigation } from '../../support/investigation-rows.ts';
import { folderCodeHosts, type FolderRepository } from './code-hosts.ts';

export interface StoredProposal {
  investigationId: string;
  toolCallId: string;
}

/** A completed investigation whose only evidence is a checked proposal. */
export async function storeProposal(orm: Orm, repository: FolderRepository, proposal: object): Promise<StoredProposal> {
  const { row } = repository;
  const input = proposalInput.parse({ repository: row.fullName, title: 'Restore the pool', ...proposal });
  const suggested = await suggestionOf(folderCodeHosts([repository]), row, input, new AbortController().signal);
  const toolCallId = randomUUID();
  const { id } = await storeInvestigation(orm, {
    teamId: row.teamId,
    tool: 'suggest_pr',
    call: { input },
    results: [JSON.stringify(suggested)],
    toolIds: [toolCallId],
    row: { status: 'completed' },
  });
  return { investigationId: id, toolCallId };
}
