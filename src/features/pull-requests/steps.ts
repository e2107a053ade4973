/** The steps of a pull request's workflow. Each may be killed anywhere and repeated. */
import { CodeHostError, type CodeHost, type HostPullRequest } from '@casebook/connectors';
import { NotFound } from '../../http/errors.ts';
import { reaching, type Reach } from '../../db/reach.ts';
import { messageOf } from '../../platform/message-of.ts';
import type { Mirror, Repository } from '../code-hosts/index.ts';
import { claimEffect, EffectFailed, makeOnce } from '../effects/index.ts';
import { TRAILER } from '../workspace/index.ts';
import { bodyOf, markerOf } from './body.ts';
import type { PullRequestRef, PullRequestStep } from './contract.ts';
import type { PullRequestDeps } from './deps.ts';
import type { PullRequest } from './entities.ts';
import { applyChange, writeCommit } from './proposal/apply.ts';
import { ChangeRefused, type ChangeProblem } from './proposal/refused.ts';
import { gitOf } from './proposal/suggestion.ts';
import { quiet } from './quiet.ts';
import { change, readRow } from './rows.ts';
import { stateOf } from './state.ts';

interface StepAttempt {
  signal: AbortSignal;
}

/** For one attempt at the host: look-up and creation. */
const CREATE_TIMEOUT_MS = 20_000;
const MAX_ERROR = 500;

/** Repeating the step cannot help. */
export class StepFailed extends Error {
  override name = 'StepFailed';
}

/**
 * Brings the commit to its own branch `casebook/KEY` at the host; no other branch is ever written. A branch that an
 * earlier attempt has pushed is recognized by the key in its commit's message, and stays.
 * @throws {CodeHostError} when the host cannot be reached or refuses; {@link StepFailed} when no attempt can succeed
 */
export async function pushBranch(
  deps: PullRequestDeps,
  ref: PullRequestRef,
  { signal }: StepAttempt,
): Promise<PullRequestStep> {
  const reach = reaching(deps, ref, { signal });
  const row = await reach((em) => readRow(em, ref.pullRequestId));
  if (!row || row.status !== 'pending' || row.commit !== null) return { status: row?.status ?? 'gone' };
  const mirror = deps.codeHosts.mirrorOf(await repositoryOf(deps, reach, row));
  await mirror.fetchNow(signal);
  const commit = (await pushedCommit(mirror, row, signal)) ?? (await push(mirror, row, signal));
  const changes = typeof commit === 'string' ? { commit, error: null } : conflict(row, commit.conflicts);
  const changed = await reach(() => change(deps, ref, ['pending'], changes));
  return { status: changed?.status ?? 'gone' };
}

/** @returns the commit of the branch at the host, as last fetched; undefined if there is no branch */
async function pushedCommit(
  mirror: Mirror,
  { branch, key }: PullRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const commit = await headOf(mirror, branch);
  if (commit === undefined) return undefined;
  const { stdout } = await mirror.git(['cat-file', 'commit', commit], { signal });
  if (stdout.toString('utf8').split('\n').includes(`${TRAILER}: ${key}`)) return commit;
  // Somebody may have added commits meanwhile; ours is then below theirs.
  const found = ['rev-list', '--max-count=1', '--max-parents=1', `--grep=^${TRAILER}: ${key}$`, commit];
  const ours = (await mirror.git(found, { signal })).stdout.toString('latin1').trim();
  if (ours === '') throw new StepFailed(`The repository has a branch ${branch} that is not Casebook's.`);
  return commit;
}

async function push(
  mirror: Mirror,
  row: PullRequest,
  signal: AbortSignal,
): Promise<string | { conflicts: ChangeProblem[] }> {
  const { base, branch, key, title, body, createdAt: date } = row;
  const parent = await headOf(mirror, base);
  if (parent === undefined) return { conflicts: [{ problem: `There is no branch ${base} any more.` }] };
  const git = gitOf(mirror);
  try {
    const { tree, reverted } = await applyChange(git, parent, row.change, signal);
    const revert = reverted && `This reverts commit ${reverted.commit}.`;
    const message = [quiet(title), revert, quiet(body)].filter(Boolean).join('\n\n');
    const commit = await writeCommit(git, { tree, parent, message, key, date }, signal);
    await mirror.push([`${commit}:refs/heads/${branch}`], signal);
    return commit;
  } catch (error) {
    if (error instanceof ChangeRefused) return { conflicts: error.problems };
    // Another attempt, cut off but alive, may have pushed meanwhile.
    if (!(error instanceof CodeHostError) || error.reason !== 'conflict') throw error;
    await mirror.fetchNow(signal);
    const commit = await pushedCommit(mirror, row, signal);
    if (commit === undefined) throw error;
    return commit;
  }
}

async function headOf(mirror: Mirror, branch: string): Promise<string | undefined> {
  try {
    return await mirror.head(branch);
  } catch (error) {
    if (error instanceof CodeHostError && error.reason === 'not_found') return undefined;
    throw error;
  }
}

const conflict = ({ base }: PullRequest, conflicts: ChangeProblem[]) => ({
  status: 'conflict' as const,
  conflicts,
  error: `The change does not apply to ${base} any more.`,
});

/**
 * Opens the pull request at the host, through the ledger: looked up by its branch and the marker in its body before it is
 * created. One that was cut off may still arrive: hosts refuse a second request from the same branch.
 * @throws as {@link pushBranch}
 */
export async function createRequest(
  deps: PullRequestDeps,
  ref: PullRequestRef,
  { signal }: StepAttempt,
): Promise<PullRequestStep> {
  const reach = reaching(deps, ref, { signal });
  const row = await reach((em) => readRow(em, ref.pullRequestId));
  if (!row || row.status !== 'pending') return { status: row?.status ?? 'gone' };
  const repository = await repositoryOf(deps, reach, row);
  const { fullName } = repository;
  const host = await deps.codeHosts.hostOf(repository);
  const body = await reach((em) => bodyOf(em, row, deps.appUrl));
  const effect = await reach((em) =>
    claimEffect(em, {
      teamId: row.teamId,
      kind: 'pull_request',
      key: `pull_request:${row.id}:${row.attempt}`,
      ownerId: row.id,
      subjectId: row.id,
    }),
  );
  const find = (call: StepAttempt): Promise<HostPullRequest | undefined> => ourRequest(host, fullName, row, call);
  const { branch: head, base, isDraft } = row;
  const title = quiet(row.title);
  const { number } = await makeOnce<{ number: number; url: string }>(
    deps,
    effect,
    {
      async create(call) {
        const there = await find(call);
        const made =
          there ??
          (await host.createPullRequest(fullName, { head, base, title, body, isDraft }, { signal: call.signal }));
        return { number: made.number, url: made.url };
      },
      isFinal: (error) => error instanceof CodeHostError && isFinal(error),
      timeoutMs: CREATE_TIMEOUT_MS,
    },
    signal,
  ).catch((error: unknown) => {
    if (error instanceof EffectFailed) throw new StepFailed(error.message);
    throw error;
  });
  const opened = await host.pullRequest(fullName, number, { signal });
  const changed = await reach(() =>
    change(deps, ref, ['pending'], { ...stateOf(opened, deps.clock.now(), row), error: null }),
  );
  return { status: changed?.status ?? 'gone' };
}

/** The newest request from our branch, if its body still has our marker or its base is ours. */
async function ourRequest(
  host: CodeHost,
  fullName: string,
  row: PullRequest,
  { signal }: StepAttempt,
): Promise<HostPullRequest | undefined> {
  const found = await host.findPullRequest(fullName, row.branch, { signal });
  return found && (found.body.includes(markerOf(row)) || found.base === row.base) ? found : undefined;
}

/** What no later attempt would change. A credential may be renewed, so a refused one is waited for. */
export const isFinal = ({ reason }: CodeHostError): boolean => ['forbidden', 'not_found', 'invalid'].includes(reason);

/** @throws {StepFailed} when the team has it no longer */
async function repositoryOf(deps: PullRequestDeps, reach: Reach, row: PullRequest): Promise<Repository> {
  try {
    return await reach((em) => deps.codeHosts.find(em, row.repository));
  } catch (error) {
    if (error instanceof NotFound) throw new StepFailed(error.message);
    throw error;
  }
}

/** Records what a pending pull request waits for. */
export async function noteWaiting(deps: PullRequestDeps, ref: PullRequestRef, error: unknown): Promise<void> {
  await change(deps, ref, ['pending'], { error: messageOf(error).slice(0, MAX_ERROR) });
}

/** Ends a pending pull request that could not be opened. Idempotent. */
export async function giveUp(deps: PullRequestDeps, ref: PullRequestRef, why: string): Promise<PullRequestStep> {
  const row = await change(deps, ref, ['pending'], { status: 'failed', error: why.slice(0, MAX_ERROR) });
  return { status: row?.status ?? 'gone' };
}
