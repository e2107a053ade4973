import { z } from 'zod';
import { numericId, ownerAndName, workflowId } from '../shared/code-host/names.ts';
import {
  CodeHostError,
  type CodeHost,
  type HostCall,
  type HostJob,
  type HostRun,
  type HostWorkflow,
  type RunQuery,
} from '../shared/code-host/port.ts';
import { dispatchInputs, workflowName } from '../shared/code-host/workflow-inputs.ts';
import { secondsOf, type GiteaApi } from './api.ts';

const ACTIONS = '/repos/{owner}/{repo}/actions';
/** Where workflows are, in Gitea's order: the first folder that exists. */
const FOLDERS = ['.gitea/workflows', '.github/workflows'];
const MAX_WORKFLOWS = 100;

const time = z.string().nullish();
const row = z.object({
  id: z.number(),
  /** `FILE@REF`. */
  path: z.string(),
  head_sha: z.string(),
  head_branch: z.string().nullish(),
  event: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  html_url: z.string(),
  started_at: time,
});
const job = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  created_at: time,
  started_at: time,
  completed_at: time,
  steps: z
    .array(z.object({ name: z.string(), conclusion: z.string().nullish() }))
    .nullish()
    .transform((steps) => steps ?? []),
});
const dispatched = z.object({ workflow_run_id: z.number() });
const files = z.array(z.object({ name: z.string(), path: z.string(), type: z.string() }));
const file = z.object({ content: z.string().nullable() });

export async function runs(api: GiteaApi, fullName: string, query: RunQuery, call: HostCall): Promise<HostRun[]> {
  const { branch, commit, since = 0, limit } = query;
  const filters = { ...ownerAndName(fullName), ...(branch && { branch }), ...(commit && { head_sha: commit }) };
  const found: HostRun[] = [];
  // Newest first.
  for await (const page of api.pages(`${ACTIONS}/runs`, filters, { item: row, member: 'workflow_runs' }, call)) {
    const read = await Promise.all(page.map((each) => runOf(api, fullName, each, call)));
    found.push(...read.filter(({ at }) => at >= since));
    if (found.length >= limit || read.some(({ at }) => at < since)) break;
  }
  return found.slice(0, limit);
}

export async function run(api: GiteaApi, fullName: string, id: string, call: HostCall): Promise<HostRun> {
  const names = { ...ownerAndName(fullName), run: numericId(id, 'run') };
  return await runOf(api, fullName, await api.get(`${ACTIONS}/runs/{run}`, names, row, call), call);
}

async function jobRows(api: GiteaApi, fullName: string, run: number, call: HostCall): Promise<z.output<typeof job>[]> {
  const list = { item: job, member: 'jobs', maxPages: 20 };
  return await api.list(`${ACTIONS}/runs/{run}/jobs`, { ...ownerAndName(fullName), run }, list, call);
}

export async function jobs(api: GiteaApi, fullName: string, runId: string, call: HostCall): Promise<HostJob[]> {
  const found = await jobRows(api, fullName, numericId(runId, 'run'), call);
  return found.map(({ id, name, status, conclusion, started_at, completed_at, steps }) => ({
    id: String(id),
    name,
    status: statusOf(status),
    conclusion: conclusionOf(conclusion),
    startedAt: secondsOf(started_at),
    completedAt: secondsOf(completed_at),
    steps: steps.map((step) => ({ name: step.name, conclusion: conclusionOf(step.conclusion) })),
  }));
}

export async function jobLog(
  api: GiteaApi,
  fullName: string,
  jobId: string,
  { maxBytes }: { maxBytes: number },
  { signal }: HostCall,
): Promise<{ text: string; truncated: boolean }> {
  const names = { ...ownerAndName(fullName), job_id: numericId(jobId, 'job') };
  return await api.tail(`${ACTIONS}/jobs/{job_id}/logs`, names, { maxBytes, signal });
}

export async function rerunFailed(api: GiteaApi, fullName: string, runId: string, call: HostCall): Promise<void> {
  const names = { ...ownerAndName(fullName), run: numericId(runId, 'run') };
  await api.send(`POST ${ACTIONS}/runs/{run}/rerun-failed-jobs`, names, z.unknown(), call);
}

/** Gitea lists those of the default branch only, and without their inputs: they are read from the files. */
export async function workflows(api: GiteaApi, fullName: string, ref: string, call: HostCall): Promise<HostWorkflow[]> {
  const names = { ...ownerAndName(fullName), ref };
  for (const folder of FOLDERS) {
    const entries = await orNothing(() => api.get(contents(folder), names, files, call));
    if (!entries) continue;
    const written = entries.filter(({ name, type }) => type === 'file' && /\.ya?ml$/u.test(name));
    const read = written.slice(0, MAX_WORKFLOWS).map(async ({ name, path }): Promise<HostWorkflow[]> => {
      const { content } = await api.get(contents(path), names, file, call);
      const text = Buffer.from(content ?? '', 'base64').toString();
      const inputs = dispatchInputs(text);
      return inputs ? [{ id: name, name: workflowName(text) ?? name, path, inputs }] : [];
    });
    return (await Promise.all(read)).flat();
  }
  return [];
}

export async function dispatch(
  api: GiteaApi,
  fullName: string,
  workflow: string,
  { ref, inputs }: Parameters<CodeHost['dispatch']>[2],
  call: HostCall,
): Promise<{ runId?: string }> {
  const names = { ...ownerAndName(fullName), workflow_id: workflowId(workflow) };
  const route = `POST ${ACTIONS}/workflows/{workflow_id}/dispatches?return_run_details=true`;
  const answer = await api.send(route, { ...names, ref, inputs }, dispatched.nullish().catch(null), call);
  return answer ? { runId: String(answer.workflow_run_id) } : {};
}

/** Slashes of a path are part of the route, everything else is not. */
function contents(path: string): string {
  return `/repos/{owner}/{repo}/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
}

async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CodeHostError && error.reason === 'not_found') return undefined;
    throw error;
  }
}

async function runOf(api: GiteaApi, fullName: string, found: z.output<typeof row>, call: HostCall): Promise<HostRun> {
  const created = async (): Promise<number> => {
    // Only its jobs know when a run was made that has not begun.
    const times = (await jobRows(api, fullName, found.id, call)).map(({ created_at }) => secondsOf(created_at) ?? 0);
    return Math.max(0, ...times);
  };
  return {
    id: String(found.id),
    workflow: found.path.split('@')[0]!,
    commit: found.head_sha,
    branch: found.head_branch || null,
    event: found.event,
    status: statusOf(found.status),
    conclusion: conclusionOf(found.conclusion),
    attempt: 1,
    url: found.html_url,
    at: secondsOf(found.started_at) ?? (await created()),
  };
}

function statusOf(status: string): HostRun['status'] {
  if (status === 'completed') return 'completed';
  return status === 'in_progress' ? 'running' : 'queued';
}

function conclusionOf(conclusion: string | null | undefined): HostRun['conclusion'] {
  if (!conclusion) return null;
  if (conclusion === 'success' || conclusion === 'failure' || conclusion === 'cancelled' || conclusion === 'skipped')
    return conclusion;
  return 'other';
}
