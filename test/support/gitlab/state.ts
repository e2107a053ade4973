/** What a fake GitLab holds. Times are unix ms. */

export interface FakeRequest {
  iid: number;
  title: string;
  description: string | null;
  source: string;
  target: string;
  state: 'opened' | 'closed' | 'merged';
  sha: string;
  author: string;
  /** The fork that it comes from. */
  fork?: number;
  createdAt: number;
  updatedAt: number;
  mergedAt?: number;
  mergedBy?: string;
  mergeCommit?: string;
  approvedBy: string[];
  requestedChanges: boolean;
  /** Oldest first, as are all lists. */
  notes: { id: number; author: string; body: string; system: boolean }[];
}

export interface FakeJob {
  id: number;
  name: string;
  status: string;
  startedAt?: number;
  finishedAt?: number;
  log: string;
}

export interface FakePipeline {
  id: number;
  sha: string;
  ref: string;
  source: string;
  status: string;
  createdAt: number;
  updatedAt: number;
  inputs?: Record<string, unknown>;
  variables?: { key: string; value: string }[];
  jobs: FakeJob[];
}

export interface FakeHook {
  id: number;
  url: string;
  token: string;
  events: string[];
}

export interface FakeProject {
  id: number;
  /** `group/name`. */
  path: string;
  defaultBranch: string | null;
  visibility: 'private' | 'internal' | 'public';
  archived: boolean;
  branches: Map<string, { sha: string; isProtected: boolean }>;
  requests: FakeRequest[];
  pipelines: FakePipeline[];
  releases: { tag: string; name: string; releasedAt: number; sha: string; author: string }[];
  deployments: {
    id: number;
    sha: string;
    ref: string;
    environment: string;
    status: string;
    at: number;
    user: string;
  }[];
  hooks: FakeHook[];
  /** Texts by `BRANCH:PATH`. */
  files: Map<string, string>;
  /** By user: 20 is a reporter, 30 a developer, 40 a maintainer. */
  members: Map<string, number>;
  /** Whether releases and deployments are turned off. */
  hidesReleases?: boolean;
  /** CI, when a pipeline was made or failed jobs are to run again. */
  started?(pipeline: FakePipeline): void;
  retried?(pipeline: FakePipeline): void;
}

export const newProject = (id: number, path: string, members: Record<string, number>): FakeProject => ({
  id,
  path,
  defaultBranch: 'main',
  visibility: 'private',
  archived: false,
  branches: new Map([['main', { sha: '0123456789abcdef0123456789abcdef01234567', isProtected: true }]]),
  requests: [],
  pipelines: [],
  releases: [],
  deployments: [],
  hooks: [],
  files: new Map(),
  members: new Map(Object.entries(members)),
});
