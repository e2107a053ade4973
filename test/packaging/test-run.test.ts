import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reachedBy } from '../runner/changed.ts';
import { inOrder, testFiles } from '../runner/files.ts';
import { summary } from '../runner/summary.ts';
import { filesForSecondLook, NEVER_FORGIVEN, verdictOf, type TestResult } from '../runner/verdict.ts';
import { isAlive } from '../../src/embedded/process-table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { root, textOf } from './repository.ts';

const passed = (title: string, file = 'a'): TestResult => ({ file, title, status: 'passed' });
const failed = (title: string, file = 'a'): TestResult => ({ file, title, status: 'failed', error: `${title} broke` });
const hook = (title: string, file = 'a'): TestResult => ({ ...failed(title, file), isHook: true });
const counts = (verdict: ReturnType<typeof verdictOf>): [number, number, number] => [
  verdict.passed,
  verdict.failed.length,
  verdict.flaky.length,
];

describe('npm test', () => {
  describe('the verdict', () => {
    it('is green without a failure', () => {
      assert.deepEqual(filesForSecondLook([passed('x')]), []);
      assert.deepEqual(counts(verdictOf([passed('x'), { file: 'a', title: 'y', status: 'pending' }])), [1, 0, 0]);
    });

    it('runs the file of a failure again, once; what passes then is flaky, counts as passed and has both outputs', () => {
      const first = [failed('x'), failed('y'), passed('z'), passed('w', 'b')];
      assert.deepEqual(filesForSecondLook(first), ['a']);
      const verdict = verdictOf(first, [passed('x'), failed('y'), passed('z')]);
      assert.deepEqual(counts(verdict), [3, 1, 1]);
      assert.deepEqual(verdict.flaky, [{ file: 'a', title: 'x', reason: 'flaky', first: 'x broke', second: 'passed' }]);
      assert.equal(verdict.failed[0]?.reason, 'failed again');
    });

    it('takes a failure that only the second look has for flaky as well', () => {
      const verdict = verdictOf([failed('x'), passed('y')], [passed('x'), failed('y')]);
      assert.deepEqual(counts(verdict), [2, 0, 2]);
      assert.deepEqual(verdict.flaky[1], {
        file: 'a',
        title: 'y',
        reason: 'flaky',
        first: 'passed',
        second: 'y broke',
      });
    });

    it('is red for a test that did not run again, or ran only then and failed', () => {
      assert.deepEqual(counts(verdictOf([failed('x')], [passed('y')])), [1, 1, 0]);
      assert.deepEqual(counts(verdictOf([hook('before all')], [failed('x')])), [0, 2, 0]);
    });

    it('forgives a hook when its whole file passes, and counts the tests that it kept from running', () => {
      assert.deepEqual(counts(verdictOf([hook('before all')], [passed('x'), passed('y')])), [2, 0, 1]);
      assert.deepEqual(counts(verdictOf([hook('before all')], [hook('before all')])), [0, 1, 0]);
    });

    it('never forgives what must never happen, in the first look or the second', () => {
      const never = `kills ${NEVER_FORGIVEN} loses nothing`;
      assert.deepEqual(filesForSecondLook([failed(never)]), []);
      assert.equal(verdictOf([failed(never)], [passed(never)]).failed[0]?.reason, 'never forgiven');
      const verdict = verdictOf([passed(never), failed('x')], [failed(never), passed('x')]);
      assert.deepEqual(counts(verdict), [1, 1, 1]);
    });

    it('is red with more than three flaky tests, for each of them', () => {
      const titles = ['a', 'b', 'c', 'd'];
      const look = (test: typeof passed, of: string[]): TestResult[] => of.map((title) => test(title));
      assert.deepEqual(counts(verdictOf(look(failed, titles), look(passed, titles))), [0, 4, 0]);
      const three = titles.slice(1);
      assert.deepEqual(counts(verdictOf(look(failed, three), look(passed, three))), [3, 0, 3]);
    });

    it('is red when the same test was flaky in one of the last runs', () => {
      const first = [failed('x')];
      assert.deepEqual(counts(verdictOf(first, [passed('x')], new Set(['a: x']))), [0, 1, 0]);
      assert.deepEqual(counts(verdictOf(first, [passed('x')], new Set(['b: x']))), [1, 0, 1]);
    });

    it('runs nothing again when more than twenty failed: all are red', () => {
      const first = Array.from({ length: 21 }, (_, index) => failed(`test ${index}`, `file ${index}`));
      assert.deepEqual(filesForSecondLook(first), []);
      assert.equal(filesForSecondLook(first.slice(1)).length, 20);
      assert.deepEqual(counts(verdictOf(first)), [0, 21, 0]);
    });
  });

  describe('the queue', () => {
    it('has every test file, in the full tier again what tests properties', () => {
      const [quick, full] = [testFiles('quick'), testFiles('full')];
      const all = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test/**.test.ts'], { cwd: root });
      const present = all
        .toString()
        .trim()
        .split('\n')
        .filter((file) => existsSync(join(root, file)));
      assert.deepEqual([...new Set([...quick, ...full])].sort(), present.sort());
      const both = quick.filter((file) => full.includes(file));
      assert.ok(both.includes('test/features/diagnosis/ranking-properties.test.ts'));
    });

    it('begins with what takes longest, and keeps the browser together', () => {
      const order = inOrder(['test/a.test.ts', 'test/b.test.ts', 'test/web/c.test.ts', 'test/web/d.test.ts'], {
        'test/b.test.ts': 9,
        'test/web/c.test.ts': 5,
        'test/web/d.test.ts': 5,
      });
      assert.deepEqual(order, [['test/web/c.test.ts', 'test/web/d.test.ts'], ['test/b.test.ts'], ['test/a.test.ts']]);
    });
  });

  it('ends the programs that tests started, any number, without a warning', async () => {
    const owner = `
      import { spawn } from 'node:child_process';
      import { endWithTests } from './test/support/end-with-tests.ts';
      const children = Array.from({ length: 12 }, () => endWithTests(spawn('sleep', ['600'], { stdio: 'ignore' })));
      console.log(children.map(({ pid }) => pid).join(' '));
      setTimeout(() => process.exit());`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', owner], {
      cwd: root,
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    for (const pid of stdout.trim().split(' ').map(Number))
      await waitUntil(() => !isAlive(pid) || undefined, { what: `the end of ${pid}`, intervalMs: 5 });
  });

  describe('what has changed', () => {
    const tests = testFiles('quick');
    const reached = async (file: string): Promise<string[]> =>
      (await reachedBy(tests, new Set([file]))).filter(
        (test) => !/^test\/(?:architecture|docs|packaging)\//.test(test),
      );

    it('is reached by imports, through packages, and by programs that tests start', async () => {
      assert.ok((await reached('src/embedded/wait-until.ts')).includes('test/embedded/wait-until.test.ts'));
      assert.ok((await reached('packages/wire/index.ts')).length > 10);
      assert.ok((await reached('workflows/runs.state.ts')).includes('test/workflows/runs.state.test.ts'));
      for (const file of ['workflows/runs.ts', 'src/bin/worker.ts'])
        assert.ok((await reached(file)).includes('test/chaos/kill.test.ts'));
      assert.ok((await reached('web/src/main.tsx')).includes('test/web/shell.test.ts'));
    });

    it('reaches no test that has nothing to do with it', async () => {
      assert.deepEqual(await reached('README.md'), []);
      assert.deepEqual(await reached('test/http/errors.test.ts'), ['test/http/errors.test.ts']);
      assert.ok(!(await reached('src/app.ts')).includes('test/embedded/wait-until.test.ts'));
    });
  });

  describe('.ci/run', () => {
    const text = textOf('.ci/run');

    it('adds up the counts of the two runs', () => {
      const definition = /^count\(\) \{[^]*?^\}/m.exec(text)?.[0];
      assert.ok(definition);
      const counted = (...outputs: string[]): string =>
        execFileSync('bash', ['-c', `${definition}; count`], { input: outputs.join('\n'), encoding: 'utf8' }).trim();
      const [green, red] = [verdictOf([passed('x')]), verdictOf([failed('a test that prints 5 failed')])];
      assert.equal(counted(summary(green, ''), summary(red, '')), '1 1');
      assert.equal(counted('it could not start'), '0 0');
    });

    it('is a script that bash takes, and runs both', () => {
      execFileSync('bash', ['-n', join(root, '.ci/run')]);
      assert.match(text, /npm test/);
      assert.match(text, /npm run test:full/);
      const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      assert.ok(scripts['test:full'] && scripts['pretest:full']);
    });
  });
});
