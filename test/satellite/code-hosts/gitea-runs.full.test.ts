import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGiteaRunner } from '../../support/gitea-runner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { testCodeHostRuns, type RunsFixture } from './contract.ts';
import { giteaFixture } from './gitea-fixture.ts';

const CI = `
on: push
jobs:
  good:
    runs-on: linux
    steps:
      - run: echo once >> "$EXECUTIONS/good"
  bad:
    runs-on: linux
    steps:
      - run: echo once >> "$EXECUTIONS/bad"
      - name: Test
        run: |
          for i in $(seq 200); do echo "line $i"; done
          echo it broke
          exit 3
`;
const HELLO = `
name: Say hello
on:
  workflow_dispatch:
    inputs:
      name: { type: string, required: true, description: Whom to greet }
      loud: { type: boolean, default: false }
      colour: { type: choice, options: [red, blue] }
jobs:
  hello:
    runs-on: linux
    steps:
      - run: echo "Hello \${{ inputs.name }}"
`;

testCodeHostRuns('Gitea', async (): Promise<RunsFixture> => {
  const { gitea, host, repository, commit } = await giteaFixture();
  const executions = await mkdtemp(join(tmpdir(), 'casebook-executions-'));
  const runner = await startGiteaRunner(gitea, { EXECUTIONS: executions });
  const branch = 'feature/ci';
  await commit('main', '.gitea/workflows/hello.yml', HELLO);
  const sha = await commit(branch, '.gitea/workflows/ci.yml', CI);
  const call = { signal: new AbortController().signal };
  const ended = async () => {
    const [run] = await host.runs(repository, { commit: sha, limit: 1 }, call);
    return run?.status === 'completed' ? run : undefined;
  };
  const { id } = await waitUntil(ended, { what: 'the end of the run', intervalMs: 300 });
  return {
    host,
    repository,
    failed: { id, commit: sha, branch },
    async executions(job) {
      const text = await readFile(join(executions, job), 'utf8').catch(() => '');
      return text.split('\n').length - 1;
    },
    rerunsFailedOnly: true,
    dispatchable: 'hello.yml',
    async close() {
      await runner.stop();
      await gitea.stop();
      await rm(executions, { recursive: true, force: true });
    },
  };
});
