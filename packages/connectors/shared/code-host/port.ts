/**
 * What Casebook asks of a code host, beyond Git. Whatever Git itself answers (files, branches' contents, history, blame,
 * comparisons, commits) comes from a mirror, once for all hosts; a driver has what only its host knows.
 *
 * Every call takes a signal and stops when it fires. Drivers neither wait nor retry: a limit of the host is a
 * {@link CodeHostError} `limited` with the pause that the host asks for.
 */
import { QueryError } from '../../connector.ts';

export type CodeHostKind = 'github' | 'gitlab' | 'gitea';

export interface HostCall {
  signal: AbortSignal;
}

export interface HostRepository {
  /** The host's own id, which survives a renaming. */
  id: string;
  /** `owner/name`; GitLab's groups may be nested: `group/subgroup/name`. */
  fullName: string;
  defaultBranch: string;
  /** Over HTTPS, without a credential. */
  cloneUrl: string;
  webUrl: string;
  isPrivate: boolean;
  isArchived: boolean;
}

export interface HostBranch {
  name: string;
  commit: string;
  isProtected: boolean;
}

/** A change in the sense of telemetry sources, as the host records it. */
export interface HostChange {
  /** Stable: `pull_request:12`, `release:v1.2.0`, `deployment:345`. */
  id: string;
  /** Unix seconds. */
  at: number;
  kind: 'commit' | 'merge' | 'release' | 'deployment';
  /** One line. */
  summary: string;
  /** The commit that came with it. */
  commit?: string;
  author?: string;
  url?: string;
}

export interface HostPullRequest {
  number: number;
  url: string;
  title: string;
  body: string;
  /** Branch names within the repository. */
  head: string;
  base: string;
  state: 'open' | 'merged' | 'closed';
  isDraft: boolean;
  headCommit: string;
  /** The commit on the base branch; null until merged. */
  mergeCommit: string | null;
  /** What CI says about `headCommit`. */
  checks: 'none' | 'pending' | 'passing' | 'failing';
  review: 'none' | 'approved' | 'changes_requested';
}

export interface NewPullRequest {
  head: string;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
}

/** One execution of a workflow or pipeline. */
export interface HostRun {
  id: string;
  /** The workflow's name; a pipeline has its ref. */
  workflow: string;
  commit: string;
  branch: string | null;
  /** What started it: `push`, `pull_request`, `workflow_dispatch`, … */
  event: string;
  status: 'queued' | 'running' | 'completed';
  /** Null until completed. */
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | 'other' | null;
  /** From 1; always 1 where the host does not count. */
  attempt: number;
  url: string;
  /** Unix seconds. */
  at: number;
}

export interface HostJob {
  id: string;
  name: string;
  status: HostRun['status'];
  conclusion: HostRun['conclusion'];
  startedAt: number | null;
  completedAt: number | null;
  steps: { name: string; conclusion: HostRun['conclusion'] }[];
}

/** A workflow that can be dispatched. */
export interface HostWorkflow {
  /** What `dispatch` takes: a file name or an id. */
  id: string;
  name: string;
  path: string;
  inputs: {
    name: string;
    type: 'string' | 'boolean' | 'number' | 'choice' | 'environment';
    description: string;
    isRequired: boolean;
    default?: string;
    options?: string[];
  }[];
}

export interface RunQuery {
  branch?: string;
  commit?: string;
  /** Unix seconds. */
  since?: number;
  limit: number;
}

export interface CodeHost {
  readonly kind: CodeHostKind;
  /** What Git sends over HTTPS; short-lived where the host has such tokens. */
  gitCredential(call: HostCall): Promise<{ username: string; password: string }>;
  /** Whose credential it is, and in words what it lacks or has too much of. */
  account(call: HostCall): Promise<{ login: string; version?: string; warnings: string[] }>;
  /** Every repository that the credential can read, page by page. */
  repositories(call: HostCall): AsyncIterable<HostRepository>;
  repository(fullName: string, call: HostCall): Promise<HostRepository>;
  branches(fullName: string, call: HostCall): Promise<HostBranch[]>;
  /** Merged requests, releases and deployments in `[from, to)`, unix seconds, oldest first. */
  changes(fullName: string, window: { from: number; to: number }, call: HostCall): Promise<HostChange[]>;

  /** The newest request from a branch, whatever its state. */
  findPullRequest(fullName: string, head: string, call: HostCall): Promise<HostPullRequest | undefined>;
  createPullRequest(fullName: string, wanted: NewPullRequest, call: HostCall): Promise<HostPullRequest>;
  pullRequest(fullName: string, number: number, call: HostCall): Promise<HostPullRequest>;
  updatePullRequest(
    fullName: string,
    number: number,
    changes: { title?: string; body?: string; state?: 'open' | 'closed' },
    call: HostCall,
  ): Promise<HostPullRequest>;
  /** One comment for each marker, which is part of its text: created, or edited where it exists. @returns its URL */
  comment(fullName: string, number: number, wanted: { marker: string; body: string }, call: HostCall): Promise<string>;

  runs(fullName: string, query: RunQuery, call: HostCall): Promise<HostRun[]>;
  run(fullName: string, id: string, call: HostCall): Promise<HostRun>;
  jobs(fullName: string, runId: string, call: HostCall): Promise<HostJob[]>;
  /** The text of a job's log, from its end if it is longer than `maxBytes`. */
  jobLog(
    fullName: string,
    jobId: string,
    limit: { maxBytes: number },
    call: HostCall,
  ): Promise<{ text: string; truncated: boolean }>;
  /** Runs the failed jobs again, or the whole run where the host cannot do less. */
  rerunFailed(fullName: string, runId: string, call: HostCall): Promise<void>;
  workflows(fullName: string, ref: string, call: HostCall): Promise<HostWorkflow[]>;
  /** @returns the run, where the host says which */
  dispatch(
    fullName: string,
    workflowId: string,
    wanted: { ref: string; inputs: Record<string, string> },
    call: HostCall,
  ): Promise<{ runId?: string }>;

  /** Registers a webhook; one with the same URL is updated instead. */
  registerWebhook(fullName: string, wanted: { url: string; secret: string }, call: HostCall): Promise<{ id: string }>;
  /** Harmless if it is gone. */
  removeWebhook(fullName: string, id: string, call: HostCall): Promise<void>;
}

const QUERY_CODES: Partial<Record<string, QueryError['code']>> = {
  not_found: 'not_found',
  invalid: 'bad_request',
  limited: 'busy',
};

/**
 * A call that the host did not carry out. `message` is for people and models and never has a credential.
 * - `unauthorized`: the credential does not work (any more)
 * - `forbidden`: it works and may not do this
 * - `limited`: a rate limit; `retryAfterMs` is the pause that the host asks for
 * - `unavailable`: the host did not answer, or not as such a host does
 */
export class CodeHostError extends QueryError {
  override name = 'CodeHostError';
  readonly reason: 'unauthorized' | 'forbidden' | 'not_found' | 'conflict' | 'invalid' | 'limited' | 'unavailable';
  /** Milliseconds. */
  readonly retryAfterMs: number | undefined;
  constructor(
    reason: CodeHostError['reason'],
    message: string,
    { retryAfterMs, ...options }: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(QUERY_CODES[reason] ?? 'failed', message, options);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What a webhook reports. Whatever else a host sends is `other`. */
export type HostEvent = { repository: { id: string; fullName: string } } & (
  | { type: 'push'; /** Null for a tag. */ branch: string | null }
  /** The full name of a branch (`refs/heads/…`) or tag (`refs/tags/…`). GitLab reports pushes instead. */
  | { type: 'create' | 'delete'; ref: string }
  | { type: 'pull_request'; number: number }
  | { type: 'run'; runId: string; commit: string; branch: string | null }
  | { type: 'other'; name: string }
);
