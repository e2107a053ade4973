/** What a fake GitHub holds. Times are unix ms. */

export interface FakePull {
  number: number;
  title: string;
  body: string | null;
  head: string;
  base: string;
  state: 'open' | 'closed';
  isDraft: boolean;
  headCommit: string;
  author: string;
  createdAt: number;
  updatedAt: number;
  mergedAt?: number;
  mergeCommit?: string;
  /** Oldest first. */
  reviews: { user: string; state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' }[];
}

export interface FakeJob {
  id: number;
  name: string;
  status: string;
  conclusion: string | null;
  startedAt?: number;
  completedAt?: number;
  steps: { name: string; status: string; conclusion: string | null }[];
  log?: string;
}

export interface FakeRun {
  id: number;
  /** Its workflow's path. */
  path: string;
  name: string | null;
  commit: string;
  branch: string | null;
  event: string;
  status: string;
  conclusion: string | null;
  attempt: number;
  createdAt: number;
  inputs?: Record<string, string>;
  /** Of the last attempt. */
  jobs: FakeJob[];
}

export interface FakeHook {
  id: number;
  url: string;
  secret: string;
  events: string[];
  active: boolean;
}

export interface FakeRepository {
  id: number;
  owner: string;
  name: string;
  defaultBranch: string;
  isPrivate: boolean;
  isArchived: boolean;
  branches: Map<string, { commit: string; isProtected: boolean }>;
  /** A bare repository, if there is one, whose branches and files these are. */
  gitDir?: string;
  /** Where that is served, if it is. */
  cloneUrl?: string;
  /** Oldest first, as are all lists. */
  pulls: FakePull[];
  comments: { id: number; number: number; user: string; body: string }[];
  checkRuns: { commit: string; name: string; status: string; conclusion: string | null }[];
  statuses: { commit: string; context: string; state: 'error' | 'failure' | 'pending' | 'success' }[];
  releases: {
    tag: string;
    name: string | null;
    target: string;
    isDraft: boolean;
    createdAt: number;
    publishedAt: number;
    author: string;
  }[];
  deployments: {
    id: number;
    commit: string;
    ref: string;
    environment: string;
    createdAt: number;
    creator: string;
    /** Oldest first; none by default. */
    states?: ('error' | 'failure' | 'inactive' | 'pending' | 'success' | 'queued' | 'in_progress')[];
  }[];
  hooks: FakeHook[];
  workflows: { id: number; name: string; path: string; state: 'active' | 'disabled_manually' }[];
  /** Texts by `BRANCH:PATH`. */
  files: Map<string, string>;
  runs: FakeRun[];
}

/** What a token may see and do. */
export interface FakeToken {
  /** Of the user; of the App with `[bot]`. */
  login: string;
  /** Of a classic token, and undefined for others. */
  scopes?: string;
  /** Full names of repositories. */
  repositories: Set<string>;
  /** By GitHub's names; everything if undefined. */
  permissions?: Record<string, 'read' | 'write'>;
  expiresAt?: number;
}

export interface FakeApp {
  id: string;
  slug: string;
  /** PEM, of the key with which requests are signed. */
  publicKey: string;
  installation: {
    id: number;
    account: string;
    permissions: Record<string, 'read' | 'write'>;
    repositories: Set<string>;
  };
  isSuspended: boolean;
  tokenLifeMs: number;
  /** Tokens that were minted. */
  minted: string[];
}

export const newRepository = (id: number, fullName: string): FakeRepository => {
  const [owner = '', name = ''] = fullName.split('/');
  return {
    id,
    owner,
    name,
    defaultBranch: 'main',
    isPrivate: true,
    isArchived: false,
    branches: new Map([['main', { commit: '0123456789abcdef0123456789abcdef01234567', isProtected: false }]]),
    pulls: [],
    comments: [],
    checkRuns: [],
    statuses: [],
    releases: [],
    deployments: [],
    hooks: [],
    workflows: [],
    files: new Map(),
    runs: [],
  };
};
