/** A fake GitLab's things in GitLab's own form, as its documentation shows them. */
import type { FakeHook, FakeJob, FakePipeline, FakeProject, FakeRequest } from './state.ts';

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

/** The same number for the same name. */
const idOf = (name: string): number => Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 1e6, 7);

const DRAFT = /^\s*(?:\[draft\]|\(draft\)|draft:)/iu;

/** @param root GitLab's own URL */
export function rowsFor(root: string) {
  const user = (username: string) => ({
    id: idOf(username),
    username,
    name: username,
    state: 'active',
    locked: false,
    avatar_url: null,
    web_url: `${root}/${username}`,
  });

  const pipeline = (it: FakeProject, row: FakePipeline) => ({
    id: row.id,
    iid: row.id,
    project_id: it.id,
    name: null,
    status: row.status,
    source: row.source,
    ref: row.ref,
    sha: row.sha,
    web_url: `${root}/${it.path}/-/pipelines/${row.id}`,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  });

  const request = (it: FakeProject, row: FakeRequest) => ({
    id: it.id * 1000 + row.iid,
    iid: row.iid,
    project_id: it.id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    merged_at: iso(row.mergedAt),
    merge_user: row.mergedBy === undefined ? null : user(row.mergedBy),
    closed_at: row.state === 'closed' ? iso(row.updatedAt) : null,
    target_branch: row.target,
    source_branch: row.source,
    author: user(row.author),
    source_project_id: row.fork ?? it.id,
    target_project_id: it.id,
    labels: [],
    draft: DRAFT.test(row.title),
    work_in_progress: DRAFT.test(row.title),
    merge_when_pipeline_succeeds: false,
    merge_status: 'can_be_merged',
    detailed_merge_status: row.requestedChanges ? 'requested_changes' : 'mergeable',
    sha: row.sha,
    merge_commit_sha: row.mergeCommit ?? null,
    squash_commit_sha: null,
    web_url: `${root}/${it.path}/-/merge_requests/${row.iid}`,
    user_notes_count: row.notes.length,
    squash: false,
  });

  return {
    user,
    pipeline,
    request,
    project: (it: FakeProject) => ({
      id: it.id,
      description: null,
      name: it.path.slice(it.path.lastIndexOf('/') + 1),
      path: it.path.slice(it.path.lastIndexOf('/') + 1),
      path_with_namespace: it.path,
      created_at: '2026-01-05T09:00:00.000Z',
      default_branch: it.defaultBranch,
      ssh_url_to_repo: `git@gitlab:${it.path}.git`,
      http_url_to_repo: `${root}/${it.path}.git`,
      web_url: `${root}/${it.path}`,
      visibility: it.visibility,
      archived: it.archived,
      empty_repo: it.defaultBranch === null,
      ci_config_path: '',
    }),
    branch: (name: string, { sha, isProtected }: { sha: string; isProtected: boolean }) => ({
      name,
      commit: { id: sha, short_id: sha.slice(0, 8), title: 'Change', message: 'Change' },
      merged: false,
      protected: isProtected,
      default: name === 'main',
      developers_can_push: false,
      can_push: true,
    }),
    /** Only a single one has its pipeline with it. */
    wholeRequest(it: FakeProject, row: FakeRequest) {
      const head = it.pipelines.findLast(({ sha }) => sha === row.sha);
      return { ...request(it, row), head_pipeline: head ? pipeline(it, head) : null };
    },
    approvals: (it: FakeProject, row: FakeRequest) => ({
      id: it.id * 1000 + row.iid,
      iid: row.iid,
      project_id: it.id,
      title: row.title,
      // Without rules, as in the free edition, every request is approved.
      approved: true,
      approved_by: row.approvedBy.map((username) => ({ user: user(username) })),
    }),
    note: ({ id, author, body, system }: FakeRequest['notes'][number], iid: number) => ({
      id,
      body,
      author: user(author),
      system,
      noteable_type: 'MergeRequest',
      noteable_iid: iid,
      resolvable: false,
      internal: false,
    }),
    job: (it: FakeProject, run: FakePipeline, row: FakeJob) => ({
      id: row.id,
      name: row.name,
      stage: 'test',
      status: row.status,
      ref: run.ref,
      tag: false,
      allow_failure: false,
      created_at: iso(run.createdAt),
      started_at: iso(row.startedAt),
      finished_at: iso(row.finishedAt),
      pipeline: pipeline(it, run),
      web_url: `${root}/${it.path}/-/jobs/${row.id}`,
    }),
    release: (it: FakeProject, row: FakeProject['releases'][number]) => ({
      tag_name: row.tag,
      name: row.name,
      description: null,
      created_at: iso(row.releasedAt),
      released_at: iso(row.releasedAt),
      author: user(row.author),
      commit: { id: row.sha, short_id: row.sha.slice(0, 8) },
      upcoming_release: false,
      _links: { self: `${root}/${it.path}/-/releases/${row.tag}` },
    }),
    deployment: (it: FakeProject, row: FakeProject['deployments'][number]) => ({
      id: row.id,
      iid: row.id,
      ref: row.ref,
      sha: row.sha,
      status: row.status,
      created_at: iso(row.at),
      updated_at: iso(row.at),
      user: user(row.user),
      environment: { id: idOf(row.environment), name: row.environment, external_url: null },
      deployable: null,
    }),
    hook: (it: FakeProject, { id, url, events }: FakeHook) => ({
      id,
      url,
      project_id: it.id,
      enable_ssl_verification: true,
      ...Object.fromEntries(events.map((event) => [event, true])),
    }),
  };
}
