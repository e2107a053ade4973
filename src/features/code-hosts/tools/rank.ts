/**
 * Which changed files matter first to somebody who looks for the cause of an incident: small changes of configuration,
 * dependencies and code before large ones, before tests, documents and generated files. Pure.
 */

export interface ChangedFile {
  path: string;
  /** Where it was before, if it was moved. */
  from?: string;
  /** Lines; null for a binary file. */
  additions: number | null;
  deletions: number | null;
}

export type FileKind = 'configuration' | 'dependencies' | 'code' | 'build' | 'tests' | 'documents' | 'generated';

/** In doublings of the number of changed lines: a file of code is like a configuration of twice as many lines. */
const COST: Record<FileKind, number> = {
  configuration: 0,
  dependencies: 0,
  code: 1,
  build: 4,
  tests: 8,
  documents: 10,
  generated: 14,
};

const BINARY_COST = 12;

const KINDS: readonly [RegExp, FileKind][] = [
  [
    /(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|go\.sum|Cargo\.lock|poetry\.lock|Gemfile\.lock|composer\.lock|[^/]+\.lock)$/iu,
    'generated',
  ],
  [
    /(^|\/)(vendor|node_modules|dist|build|out|generated|third_party)\/|\.(min\.(js|css)|map|snap|pb\.go|generated\.\w+)$|_pb2\.py$/iu,
    'generated',
  ],
  [
    /(^|\/)(tests?|__tests__|spec|e2e|fixtures|testdata)\/|[._-](test|spec)\.\w+$|_test\.\w+$|(^|\/)test_[^/]+\.py$/iu,
    'tests',
  ],
  [/\.(md|mdx|rst|adoc|txt)$|(^|\/)(docs?|licen[cs]e|changelog|authors)(\/|$)/iu, 'documents'],
  [
    /(^|\/)\.(github|gitlab|gitea|circleci)\/|(^|\/)(\.gitlab-ci\.yml|Jenkinsfile|Makefile|\.travis\.yml|\.editorconfig|\.gitignore|\.eslintrc[^/]*|\.prettierrc[^/]*|tsconfig[^/]*\.json)$/iu,
    'build',
  ],
  [
    /(^|\/)(package\.json|go\.mod|requirements[^/]*\.txt|pyproject\.toml|setup\.(py|cfg)|Pipfile|pom\.xml|build\.gradle(\.kts)?|Cargo\.toml|Gemfile|composer\.json|[^/]+\.csproj)$/iu,
    'dependencies',
  ],
  [
    /\.(ya?ml|toml|ini|conf|cfg|properties|env|tf|tfvars|hcl|json|xml|sql)$|(^|\/)(Dockerfile[^/]*|\.env[^/]*|Procfile|nginx[^/]*|config|helm|charts|k8s|deploy|manifests|migrations)(\/|$)/iu,
    'configuration',
  ],
];
/** Matched before what its name suggests: dependencies may end in `.txt`. */
const FIRST = KINDS.filter(([, kind]) => kind === 'dependencies');

export const kindOfFile = (path: string): FileKind =>
  [...FIRST, ...KINDS].find(([pattern]) => pattern.test(path))?.[1] ?? 'code';

/** The likeliest to matter first; equal ones by path. */
export function rankFiles<File extends ChangedFile>(files: readonly File[]): File[] {
  return files
    .map((file) => ({ file, cost: costOf(file) }))
    .toSorted((a, b) => a.cost - b.cost || (a.file.path < b.file.path ? -1 : 1))
    .map(({ file }) => file);
}

const costOf = ({ path, additions, deletions }: ChangedFile): number =>
  COST[kindOfFile(path)] +
  (additions === null || deletions === null ? BINARY_COST : Math.log2(1 + additions + deletions));
