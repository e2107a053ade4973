/** Changes that a run has proposed, and a person decides on. */
import { endpointFor } from '../../../http/endpoint.ts';
import { NotFound } from '../../../http/errors.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { authorOf } from '../authors.ts';
import type { DraftOutcome } from '../drafts/types.ts';
import { WorkspaceDraft } from '../entities.ts';
import { answering } from '../errors.ts';
import * as schemas from '../schemas.ts';
import type { WorkspaceDeps } from './deps.ts';
import { READ, tags } from './read.ts';
import { WRITE } from './write.ts';

const endpoint = endpointFor<WorkspaceDeps>();
const declared = { tags, params: schemas.ProposalParams, response: schemas.ProposalResponse };

/** @throws {NotFound} for changes that were never proposed, too: a run may still be making them */
async function findProposal(em: EntityManager, id: string): Promise<WorkspaceDraft & { outcome: DraftOutcome }> {
  const draft = await em.findOne(WorkspaceDraft, { id });
  const outcome = draft?.outcome;
  if (!outcome || draft.status === 'open') throw new NotFound('Proposal not found.');
  return Object.assign(draft, { outcome });
}

const get = endpoint({
  ...declared,
  method: 'get',
  path: '/api/workspace/proposals/{proposal_id}',
  operationId: 'getWorkspaceProposal',
  summary: 'Get changes that a chat has proposed, and what became of them',
  auth: READ,
  errors: [404],
  handler: async ({ em, params }) => {
    const { id, outcome } = await findProposal(em, params.proposal_id);
    return { id, ...outcome };
  },
});

const apply = endpoint({
  ...declared,
  method: 'post',
  path: '/api/workspace/proposals/{proposal_id}/apply',
  operationId: 'applyWorkspaceProposal',
  summary: 'Commit changes that a chat has proposed',
  description:
    'In the name of the caller. If others changed the same paths since, the status is `conflict`, and nothing is written. A repeated request changes nothing.',
  auth: WRITE,
  errors: [404, 409],
  handler: ({ em, params, principal, deps, signal }) =>
    answering(['query'], async () => {
      const { id, teamId, runId } = await findProposal(em, params.proposal_id);
      const author = await authorOf(em, principal);
      const input = { message: 'Apply the changes that a chat proposed', author, date: deps.clock.now() };
      return { id, ...(await deps.drafts.finish({ teamId, runId }, 'apply', input, { signal })) };
    }),
});

const discard = endpoint({
  ...declared,
  method: 'post',
  path: '/api/workspace/proposals/{proposal_id}/discard',
  operationId: 'discardWorkspaceProposal',
  summary: 'Discard changes that a chat has proposed',
  description: 'Changes that were applied already stay.',
  auth: WRITE,
  errors: [404],
  handler: async ({ em, params, deps }) => {
    const { id, teamId, runId, outcome } = await findProposal(em, params.proposal_id);
    return { id, ...((await deps.drafts.discard({ teamId, runId })) ?? outcome) };
  },
});

export const proposalEndpoints = [get, apply, discard];
