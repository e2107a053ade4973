/** A fake GitHub's things in GitHub's own form. */
import { createHash } from 'node:crypto';
import { fill, type Row } from './description.ts';
import type { FakeHook, FakeJob, FakePull, FakeRepository, FakeRun } from './state.ts';

const iso = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString().replace(/\.\d+/u, '');

/** The same number for the same name. */
export const idOf = (name: string): number =>
  Number.parseInt(createHash('sha256').update(name).digest('hex').slice(0, 7), 16);

export const user = (login: string): Row => ({ login, id: idOf(login) });

export interface Urls {
  api: string;
  web: string;
}

export function rowsFor({ api, web }: Urls) {
  const homeOf = ({ owner, name }: FakeRepository): string => `${web}/${owner}/${name}`;

  const repository = (it: FakeRepository): Row => ({
    id: it.id,
    name: it.name,
    full_name: `${it.owner}/${it.name}`,
    owner: user(it.owner),
    private: it.isPrivate,
    archived: it.isArchived,
    default_branch: it.defaultBranch,
    clone_url: it.cloneUrl ?? `${homeOf(it)}.git`,
    html_url: homeOf(it),
    url: `${api}/repos/${it.owner}/${it.name}`,
    visibility: it.isPrivate ? 'private' : 'public',
  });

  const pull = (it: FakeRepository, row: FakePull): Row => ({
    id: idOf(`${it.owner}/${it.name}#${row.number}`),
    number: row.number,
    title: row.title,
    body: row.body,
    state: row.state,
    draft: row.isDraft,
    user: user(row.author),
    html_url: `${homeOf(it)}/pull/${row.number}`,
    url: `${api}/repos/${it.owner}/${it.name}/pulls/${row.number}`,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    closed_at: row.state === 'closed' ? iso(row.updatedAt) : null,
    merged_at: iso(row.mergedAt),
    // Before it is merged, the commit of a trial merge.
    merge_commit_sha: row.mergeCommit ?? createHash('sha1').update(row.headCommit).digest('hex'),
    head: {
      label: `${it.owner}:${row.head}`,
      ref: row.head,
      sha: row.headCommit,
      user: user(it.owner),
      repo: repository(it),
    },
    base: {
      label: `${it.owner}:${row.base}`,
      ref: row.base,
      sha: it.branches.get(row.base)?.commit ?? '0'.repeat(40),
      user: user(it.owner),
      repo: repository(it),
    },
  });

  const run = (it: FakeRepository, row: FakeRun): Row =>
    fill('workflow-run', {
      id: row.id,
      name: row.name,
      path: row.path,
      head_sha: row.commit,
      head_branch: row.branch,
      event: row.event,
      status: row.status,
      conclusion: row.conclusion,
      run_attempt: row.attempt,
      run_number: 1,
      workflow_id: idOf(row.path),
      html_url: `${homeOf(it)}/actions/runs/${row.id}`,
      created_at: iso(row.createdAt),
      run_started_at: iso(row.createdAt),
      repository: minimal(it),
      head_repository: minimal(it),
    });

  const minimal = (it: FakeRepository): Row => {
    const { clone_url: _clone, default_branch: _default, ...rest } = repository(it);
    return rest;
  };

  return {
    repository: (it: FakeRepository) => fill('repository', repository(it)),
    fullRepository: (it: FakeRepository) => fill('full-repository', repository(it)),
    branch: (name: string, { commit, isProtected }: { commit: string; isProtected: boolean }) =>
      fill('short-branch', { name, commit: { sha: commit, url: `${api}/commits/${commit}` }, protected: isProtected }),
    pull: (it: FakeRepository, row: FakePull) =>
      fill('pull-request', { ...pull(it, row), merged: row.mergedAt !== undefined, mergeable: true }),
    simplePull: (it: FakeRepository, row: FakePull) => fill('pull-request-simple', pull(it, row)),
    review: (row: FakePull['reviews'][number], index: number) =>
      fill('pull-request-review', { id: index + 1, state: row.state, user: user(row.user) }),
    comment: (it: FakeRepository, row: FakeRepository['comments'][number]) =>
      fill('issue-comment', {
        id: row.id,
        body: row.body,
        user: user(row.user),
        html_url: `${homeOf(it)}/pull/${row.number}#issuecomment-${row.id}`,
      }),
    checkRun: (row: FakeRepository['checkRuns'][number], index: number) =>
      fill('check-run', {
        id: index + 1,
        head_sha: row.commit,
        name: row.name,
        status: row.status,
        conclusion: row.conclusion,
      }),
    combinedStatus: (it: FakeRepository, sha: string, rows: FakeRepository['statuses']) =>
      fill('combined-commit-status', {
        sha,
        state: rows.some(({ state }) => state === 'failure' || state === 'error')
          ? 'failure'
          : rows.length === 0 || rows.some(({ state }) => state === 'pending')
            ? 'pending'
            : 'success',
        total_count: rows.length,
        statuses: rows.map(({ context, state }, index) => ({ id: index + 1, context, state })),
        repository: minimal(it),
      }),
    release: (it: FakeRepository, row: FakeRepository['releases'][number]) =>
      fill('release', {
        id: idOf(row.tag),
        tag_name: row.tag,
        name: row.name,
        target_commitish: row.target,
        draft: row.isDraft,
        created_at: iso(row.createdAt),
        published_at: iso(row.publishedAt),
        author: user(row.author),
        html_url: `${homeOf(it)}/releases/tag/${row.tag}`,
      }),
    deployment: (row: FakeRepository['deployments'][number]) =>
      fill('deployment', {
        id: row.id,
        sha: row.commit,
        ref: row.ref,
        environment: row.environment,
        created_at: iso(row.createdAt),
        creator: user(row.creator),
      }),
    deploymentStatus: (state: string, index: number) =>
      fill('deployment-status', { id: index + 1, state, creator: user('bot') }),
    hook: (row: FakeHook) =>
      fill('hook', {
        id: row.id,
        type: 'Repository',
        name: 'web',
        active: row.active,
        events: row.events,
        config: { url: row.url, content_type: 'json', insecure_ssl: '0', secret: '********' },
      }),
    run,
    job: (it: FakeRepository, of: FakeRun, row: FakeJob) =>
      fill('job', {
        id: row.id,
        run_id: of.id,
        run_attempt: of.attempt,
        head_sha: of.commit,
        name: row.name,
        status: row.status,
        conclusion: row.conclusion,
        started_at: iso(row.startedAt ?? of.createdAt),
        completed_at: iso(row.completedAt),
        html_url: `${homeOf(it)}/actions/runs/${of.id}/job/${row.id}`,
        steps: row.steps.map((step, index) => ({ ...step, number: index + 1 })),
      }),
    workflow: (row: FakeRepository['workflows'][number]) =>
      fill('workflow', { id: row.id, name: row.name, path: row.path, state: row.state }),
    dispatched: (it: FakeRepository, row: FakeRun) =>
      fill('workflow-dispatch-response', {
        workflow_run_id: row.id,
        run_url: `${api}/repos/${it.owner}/${it.name}/actions/runs/${row.id}`,
        html_url: `${homeOf(it)}/actions/runs/${row.id}`,
      }),
    file: (path: string, text: string) =>
      fill('content-file', {
        type: 'file',
        encoding: 'base64',
        size: Buffer.byteLength(text),
        name: path.split('/').at(-1),
        path,
        content: Buffer.from(text).toString('base64').replaceAll(/.{60}/gu, '$&\n'),
        sha: createHash('sha1').update(text).digest('hex'),
      }),
  };
}
