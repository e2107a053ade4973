/** GitLab's pipelines and jobs as the port's runs and jobs. Pure. */
import { z } from 'zod';
import type { HostJob, HostRun } from '../shared/code-host/port.ts';

export const pipeline = z.object({
  id: z.number().int(),
  name: z.string().nullish(),
  sha: z.string(),
  ref: z.string(),
  tag: z.boolean().default(false),
  status: z.string(),
  source: z.string(),
  created_at: z.string(),
  web_url: z.string(),
});

export const job = z.object({
  id: z.number().int(),
  name: z.string(),
  status: z.string(),
  started_at: z.string().nullish(),
  finished_at: z.string().nullish(),
});

export const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
const secondsOrNull = (time: string | null | undefined): number | null => (time == null ? null : seconds(time));

const CONCLUSIONS: Readonly<Record<string, HostRun['conclusion']>> = {
  success: 'success',
  failed: 'failure',
  canceled: 'cancelled',
  skipped: 'skipped',
  // It waits for a person, maybe for ever.
  manual: 'other',
};

function progressOf(status: string): Pick<HostRun, 'status' | 'conclusion'> {
  const conclusion = CONCLUSIONS[status] ?? null;
  if (conclusion) return { status: 'completed', conclusion };
  return { status: status === 'running' || status === 'canceling' ? 'running' : 'queued', conclusion };
}

/** Merge requests run under `refs/merge-requests/1/head`. */
const branchOf = ({ ref, tag }: z.output<typeof pipeline>): string | null =>
  tag || ref.startsWith('refs/') ? null : ref;

export const runOf = (found: z.output<typeof pipeline>): HostRun => ({
  id: String(found.id),
  workflow: found.name ?? found.ref,
  commit: found.sha,
  branch: branchOf(found),
  event: found.source,
  ...progressOf(found.status),
  // A retry adds jobs to the same pipeline.
  attempt: 1,
  url: found.web_url,
  at: seconds(found.created_at),
});

export const jobOf = ({ id, name, status, started_at, finished_at }: z.output<typeof job>): HostJob => ({
  id: String(id),
  name,
  ...progressOf(status),
  startedAt: secondsOrNull(started_at),
  completedAt: secondsOrNull(finished_at),
  steps: [],
});

/** A log without the colours, and without the marks of the sections that GitLab folds. */
export const plainLog = (text: string): string =>
  text
    .replaceAll(/section_(?:start|end):\d+:[^\r\n]*\r/gu, '')
    // oxlint-disable-next-line no-control-regex -- they begin with one
    .replaceAll(/\u001b\[[\d;]*[A-Za-z]/gu, '')
    .replaceAll(/\r+\n/gu, '\n');
