/** CI: runs of Actions, their jobs and logs, and workflows that can be dispatched. */
import pMap from 'p-map';
import { z } from 'zod';
import { numericId, ownerAndName, workflowId } from '../shared/code-host/names.ts';
import {
  CodeHostError,
  type HostCall,
  type HostJob,
  type HostRun,
  type HostWorkflow,
  type RunQuery,
} from '../shared/code-host/port.ts';
import { dispatchInputs } from '../shared/code-host/workflow-inputs.ts';
import type { GitHubApi } from './api.ts';
import { conflictOn } from './conflicts.ts';
import { conclusionOf, statusOf } from './verdicts.ts';

const seconds = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) / 1000);

const runRow = z
  .object({
    id: z.number(),
    name: z.string().nullish(),
    path: z.string(),
    head_sha: z.string(),
    head_branch: z.string().nullable(),
    event: z.string(),
    status: z.string().nullable(),
    conclusion: z.string().nullable(),
    run_attempt: z.number().optional(),
    html_url: z.url(),
    created_at: seconds,
  })
  .transform((row): HostRun => ({
    id: String(row.id),
    workflow: row.name || row.path,
    commit: row.head_sha,
    branch: row.head_branch,
    event: row.event,
    status: statusOf(row.status),
    conclusion: conclusionOf(row.conclusion),
    attempt: row.run_attempt ?? 1,
    url: row.html_url,
    at: row.created_at,
  }));

const jobRow = z
  .object({
    id: z.number(),
    name: z.string(),
    status: z.string(),
    conclusion: z.string().nullable(),
    started_at: seconds.nullish(),
    completed_at: seconds.nullish(),
    steps: z.array(z.object({ name: z.string(), conclusion: z.string().nullable() })).optional(),
  })
  .transform((row): HostJob => ({
    id: String(row.id),
    name: row.name,
    status: statusOf(row.status),
    conclusion: conclusionOf(row.conclusion),
    startedAt: row.started_at ?? null,
    completedAt: row.completed_at ?? null,
    steps: (row.steps ?? []).map(({ name, conclusion }) => ({ name, conclusion: conclusionOf(conclusion) })),
  }));

const RUNS = '/repos/{owner}/{repo}/actions/runs';
const MAX_PER_PAGE = 100;

export async function runs(
  api: GitHubApi,
  fullName: string,
  { branch, commit, since, limit }: RunQuery,
  call: HostCall,
): Promise<HostRun[]> {
  const query = {
    ...ownerAndName(fullName),
    per_page: Math.min(limit, MAX_PER_PAGE),
    ...(branch !== undefined && { branch }),
    ...(commit !== undefined && { head_sha: commit }),
    ...(since !== undefined && { created: `>=${new Date(since * 1000).toISOString()}` }),
  };
  const list = { item: runRow, member: 'workflow_runs', maxPages: Math.ceil(limit / MAX_PER_PAGE) };
  return (await api.list(RUNS, query, list, call)).slice(0, limit);
}

export async function run(api: GitHubApi, fullName: string, id: string, call: HostCall): Promise<HostRun> {
  return await api.get(`${RUNS}/{run_id}`, runOf(fullName, id), runRow, call);
}

export async function jobs(api: GitHubApi, fullName: string, runId: string, call: HostCall): Promise<HostJob[]> {
  const list = { item: jobRow, member: 'jobs', maxPages: 5 };
  return await api.list(`${RUNS}/{run_id}/jobs`, runOf(fullName, runId), list, call);
}

export async function jobLog(
  api: GitHubApi,
  fullName: string,
  jobId: string,
  { maxBytes }: { maxBytes: number },
  call: HostCall,
): Promise<{ text: string; truncated: boolean }> {
  const parameters = { ...ownerAndName(fullName), job_id: numericId(jobId, 'job') };
  return await api.tail('/repos/{owner}/{repo}/actions/jobs/{job_id}/logs', parameters, { maxBytes, ...call });
}

export async function rerunFailed(api: GitHubApi, fullName: string, runId: string, call: HostCall): Promise<void> {
  // Said of a run that is in progress, and of one that is too old or has not failed.
  await conflictOn(/already running|cannot be retried/iu, () =>
    api.send(`POST ${RUNS}/{run_id}/rerun-failed-jobs`, runOf(fullName, runId), z.unknown(), call),
  );
}

const workflowRow = z.object({ name: z.string(), path: z.string(), state: z.string() });
const fileRow = z.object({ content: z.string(), encoding: z.literal('base64') });
const FILE = /^\.github\/workflows\/(?<name>[^/]+)$/u;

/** Those that are active, and can be dispatched at a ref. */
export async function workflows(
  api: GitHubApi,
  fullName: string,
  ref: string,
  call: HostCall,
): Promise<HostWorkflow[]> {
  const where = ownerAndName(fullName);
  const list = { item: workflowRow, member: 'workflows', maxPages: 3 };
  const known = await api.list('/repos/{owner}/{repo}/actions/workflows', where, list, call);
  const found = await pMap(
    known.filter(({ state }) => state === 'active'),
    async ({ name, path }): Promise<HostWorkflow[]> => {
      // Others are GitHub's own, and have no file.
      const id = FILE.exec(path)?.groups?.['name'];
      const text = id === undefined ? undefined : await fileAt(api, { ...where, path, ref }, call);
      const inputs = text === undefined ? undefined : dispatchInputs(text);
      return id === undefined || inputs === undefined ? [] : [{ id, name, path, inputs }];
    },
    { concurrency: 4, signal: call.signal },
  );
  return found.flat();
}

/** @returns undefined if the ref has no such file */
async function fileAt(
  api: GitHubApi,
  parameters: { owner: string; repo: string; path: string; ref: string },
  call: HostCall,
): Promise<string | undefined> {
  try {
    const { content } = await api.get('/repos/{owner}/{repo}/contents/{path}', parameters, fileRow, call);
    return Buffer.from(content, 'base64').toString();
  } catch (error) {
    if (error instanceof CodeHostError && error.reason === 'not_found') return undefined;
    throw error;
  }
}

const dispatched = z.union([
  z.object({ workflow_run_id: z.number() }).transform((answer) => ({ runId: String(answer.workflow_run_id) })),
  z.unknown().transform(() => ({})),
]);

export async function dispatch(
  api: GitHubApi,
  fullName: string,
  workflow: string,
  { ref, inputs }: { ref: string; inputs: Record<string, string> },
  call: HostCall,
): Promise<{ runId?: string }> {
  const route = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
  const parameters = { ...ownerAndName(fullName), workflow_id: workflowId(workflow), ref, inputs };
  const ask = async (more: object): Promise<{ runId?: string }> =>
    await api.send(route, { ...parameters, ...more }, dispatched, call);
  try {
    return await ask({ return_run_details: true });
  } catch (error) {
    // Enterprise Server refuses what it does not know, and has dispatched nothing.
    if (error instanceof CodeHostError && error.reason === 'invalid' && error.message.includes('return_run_details'))
      return await ask({});
    throw error;
  }
}

const runOf = (fullName: string, id: string) => ({ ...ownerAndName(fullName), run_id: numericId(id, 'run') });
