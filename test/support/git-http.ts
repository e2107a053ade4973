/** Bare repositories served over HTTP by `git http-backend`, as code hosts serve them. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf } from './address.ts';

export interface GitHttpRequest {
  method: string;
  url: string;
  authorization: string | undefined;
}

export interface GitHttp {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** Where the repositories are: `folder/OWNER/NAME.git`. */
  folder: string;
  requests: GitHttpRequest[];
  /** What is answered in place of Git; undefined: Git answers. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Creates an empty repository. */
  create(fullName: string): HostedRepository;
  close(): Promise<void>;
}

export interface HostedRepository {
  path: string;
  cloneUrl: string;
  /** Runs Git on it, as whoever pushes. */
  git(args: readonly string[], input?: string | Uint8Array): string;
  /** Adds a commit of these files to a branch; null deletes one. @returns its id */
  commit(files: Record<string, HostedFile | null>, options?: CommitOptions): string;
  /** Merges a branch into `main` with a merge commit that has the branch's files. @returns its id */
  merge(branch: string, options: { message: string; env?: Record<string, string> }): string;
}

export type HostedFile = string | { mode?: string; content: string | Uint8Array };

export interface CommitOptions {
  branch?: string;
  /** By default the branch as it is; null makes a first commit. */
  parent?: string | null;
  message?: string;
  /** Unix seconds. */
  at?: number;
  author?: string;
}

/** @param credential what is asked for; by default nothing */
export async function startGitHttp(credential?: { username: string; password: string }): Promise<GitHttp> {
  const folder = mkdtempSync(join(tmpdir(), 'casebook-git-http-'));
  const expected =
    credential && `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`;
  const given: GitHttp = {
    url: '',
    folder,
    requests: [],
    answer: undefined,
    create: (fullName) => createHosted(folder, given.url, fullName),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    given.requests.push({ method, url, authorization: headers.authorization });
    if (given.answer?.(request, response)) return;
    if (expected !== undefined && headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end('no');
      return;
    }
    serve(folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  given.url = `http://127.0.0.1:${addressOf(server).port}`;
  return given;
}

const clean = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  HOME: '/nonexistent',
};

function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...clean,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'somebody',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(request.headers['content-length'] !== undefined && { CONTENT_LENGTH: request.headers['content-length'] }),
      ...(request.headers['content-encoding'] !== undefined && {
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      }),
      ...(request.headers['git-protocol'] !== undefined && { GIT_PROTOCOL: String(request.headers['git-protocol']) }),
    },
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => undefined);
  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    backend.stdout.off('data', readHead);
    const lines = head.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/su).slice(0, 2)));
    response.writeHead(Number.parseInt(headers['Status'] ?? '200', 10), headers);
    response.write(head.subarray(end + 4));
    backend.stdout.pipe(response, { end: false });
  };
  backend.stdout.on('data', readHead);
  backend.on('close', () => response.end());
  response.on('close', () => backend.kill());
}

function createHosted(folder: string, url: string, fullName: string): HostedRepository {
  const path = join(folder, `${fullName}.git`);
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', path], { env: clean });
  const run = (args: readonly string[], input?: string | Uint8Array, env: Record<string, string> = {}): string =>
    execFileSync('git', [`--git-dir=${path}`, ...args], {
      input,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...clean, ...env },
    }).replace(/\n$/, '');
  const git: HostedRepository['git'] = (args, input) => run(args, input);
  git(['config', 'http.receivepack', 'true']);
  return {
    path,
    cloneUrl: `${url}/${fullName}.git`,
    git,
    merge(branch, { message, env }) {
      const parents = ['-p', 'main', '-p', branch];
      const who = {
        GIT_AUTHOR_NAME: 'Host',
        GIT_AUTHOR_EMAIL: 'h@x',
        GIT_COMMITTER_NAME: 'Host',
        GIT_COMMITTER_EMAIL: 'h@x',
      };
      const made = run(['commit-tree', `${branch}^{tree}`, ...parents, '-m', message], undefined, { ...who, ...env });
      git(['update-ref', 'refs/heads/main', made]);
      return made;
    },
    commit(files, { branch = 'main', parent, message = 'Change files', at = 1_767_225_600, author = 'Ada' } = {}) {
      const ref = `refs/heads/${branch}`;
      const from = parent === undefined ? `from ${ref}^0\n` : parent === null ? '' : `from ${parent}\n`;
      const exists = git(['for-each-ref', ref]) !== '';
      const who = `${author} <${author.toLowerCase().replaceAll(' ', '.')}@example.org> ${at} +0000`;
      const text = Buffer.from(message);
      const parts: (string | Uint8Array)[] = [
        `${parent === null ? `reset ${ref}\n` : ''}commit ${ref}\nauthor ${who}\ncommitter ${who}\ndata ${text.length}\n`,
        text,
        '\n',
        exists || parent !== undefined ? from : '',
      ];
      for (const [name, file] of Object.entries(files)) {
        if (file === null) {
          parts.push(`D ${JSON.stringify(name)}\n`);
          continue;
        }
        const { mode = '100644', content } = typeof file === 'string' ? { content: file } : file;
        const bytes = Buffer.from(content);
        if (mode === '160000') parts.push(`M 160000 ${bytes.toString()} ${JSON.stringify(name)}\n`);
        else parts.push(`M ${mode} inline ${JSON.stringify(name)}\ndata ${bytes.length}\n`, bytes, '\n');
      }
      git(['fast-import', '--quiet', '--force'], Buffer.concat(parts.map((part) => Buffer.from(part))));
      return git(['rev-parse', ref]);
    },
  };
}
