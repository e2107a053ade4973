/** What becomes of pull requests at their hosts: told by webhooks, and looked at now and then in case one was missed. */
import { CodeHostError, type HostEvent } from '@casebook/connectors';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import type { Repository } from '../code-hosts/index.ts';
import { repairEach } from '../runs/index.ts';
import type { PullRequestDeps } from './deps.ts';
import { PullRequest } from './entities.ts';
import { change } from './rows.ts';
import { differs, nextLook, stateOf } from './state.ts';

const LOOK_TIMEOUT_MS = 20_000;
/** Another worker may look again if this one was killed. */
const LEASE_SECONDS = 120;
const AFTER_FAILURE_MS = 10 * 60_000;
const BATCH = 20;

/** Has the pull requests that an event may concern looked at by the next sweep. */
export async function onHostEvent(
  { orm, clock }: Pick<PullRequestDeps, 'orm' | 'clock'>,
  event: HostEvent,
  { teamId, fullName: repository }: Pick<Repository, 'teamId' | 'fullName'>,
): Promise<void> {
  const concerned = whereConcerned(event);
  if (!concerned) return;
  await forTeam(orm.em, teamId).nativeUpdate(
    PullRequest,
    { repository, number: { $ne: null }, ...concerned },
    { lookAt: clock.now() },
  );
}

function whereConcerned(event: HostEvent) {
  if (event.type === 'pull_request') return { number: event.number };
  if (event.type === 'push') return event.branch === null ? undefined : { branch: event.branch };
  if (event.type !== 'run') return undefined;
  return event.branch === null ? { commit: event.commit } : { branch: event.branch };
}

/** Looks at the pull requests that are due, of all teams. Several workers may sweep at once. @returns how many */
export async function sweepStates(deps: PullRequestDeps): Promise<number> {
  const claimed = await deps.orm.em.fork().execute<{ id: string }[]>(
    `update pull_requests set look_at = now() + ? * interval '1 second'
      where id in (select id from pull_requests where look_at <= now() order by look_at limit ? for update skip locked)
      returning id`,
    [LEASE_SECONDS, BATCH],
  );
  if (claimed.length === 0) return 0;
  const ids = claimed.map(({ id }) => id);
  const rows = await deps.orm.em.fork().find(PullRequest, { id: { $in: ids } }, anyTeam);
  return repairEach(rows, (row) => look(deps, row), {
    log: deps.log,
    message: 'could not read the state of a pull request',
    facts: ({ id }) => ({ pullRequestId: id }),
  });
}

/** Reads the state of a pull request from its host, and records it where it differs. */
async function look(deps: PullRequestDeps, row: PullRequest): Promise<void> {
  const { id: pullRequestId, teamId, number, status } = row;
  if (number === null) return;
  const em = forTeam(deps.orm.em, teamId);
  const lookAgainAt = (lookAt: Date | null) => em.nativeUpdate(PullRequest, { id: pullRequestId }, { lookAt });
  try {
    const repository = await deps.codeHosts.find(em, row.repository);
    const host = await deps.codeHosts.hostOf(repository);
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    const found = await host.pullRequest(repository.fullName, number, { signal });
    const now = deps.clock.now();
    const changes = { ...stateOf(found, now, row), commit: found.headCommit };
    if (differs(row, changes)) await change(deps, { pullRequestId, teamId }, [status], { ...changes, error: null });
    else await lookAgainAt(nextLook(row, row.createdAt, now));
  } catch (error) {
    const pause = error instanceof CodeHostError ? (error.retryAfterMs ?? AFTER_FAILURE_MS) : AFTER_FAILURE_MS;
    await lookAgainAt(new Date(deps.clock.now().getTime() + pause));
    throw error;
  }
}
