/** A code host for folder repositories that loses answers and refuses on demand. */
import { CodeHostError, type CodeHost, type HostPullRequest, type NewPullRequest } from '@casebook/connectors';
import type { FolderRepository } from './code-hosts.ts';

export interface FakeHost extends Pick<CodeHost, 'findPullRequest' | 'createPullRequest' | 'pullRequest'> {
  /** What was opened, each counted where it arrives. */
  requests: HostPullRequest[];
  /** What the next calls of one kind end with: an error instead of the call, or the answer's loss after it. */
  next: { create: (CodeHostError | 'lost')[]; find: CodeHostError[]; read: CodeHostError[] };
  calls: { create: number; find: number; read: number };
}

export function fakeHost({ origin }: FolderRepository): FakeHost {
  const requests: HostPullRequest[] = [];
  const next: FakeHost['next'] = { create: [], find: [], read: [] };
  const calls = { create: 0, find: 0, read: 0 };
  const found = (number: number): HostPullRequest => {
    const request = requests.find((one) => one.number === number);
    if (!request) throw new CodeHostError('not_found', 'There is no such request.');
    return { ...request };
  };
  const open = ({ head, base, title, body, isDraft }: NewPullRequest): HostPullRequest => {
    if (requests.some((one) => one.head === head && one.base === base && one.state === 'open'))
      throw new CodeHostError('conflict', 'A pull request already exists.');
    const number = requests.length + 12;
    const request: HostPullRequest = {
      number,
      url: `https://code.example.org/acme/shop/pulls/${number}`,
      title,
      body,
      head,
      base,
      state: 'open',
      isDraft,
      headCommit: origin.run('rev-parse', `refs/heads/${head}`),
      mergeCommit: null,
      checks: 'pending',
      review: 'none',
    };
    requests.push(request);
    return { ...request };
  };
  return {
    requests,
    next,
    calls,
    async findPullRequest(_name, head) {
      calls.find += 1;
      const error = next.find.shift();
      if (error) throw error;
      const request = requests.findLast((one) => one.head === head);
      return request && { ...request };
    },
    async createPullRequest(_name, wanted) {
      calls.create += 1;
      const end = next.create.shift();
      if (end instanceof CodeHostError) throw end;
      const request = open(wanted);
      if (end === 'lost') throw new CodeHostError('unavailable', 'The connection was cut.');
      return request;
    },
    async pullRequest(_name, number) {
      calls.read += 1;
      const error = next.read.shift();
      if (error) throw error;
      return found(number);
    },
  };
}
