import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOf, summary, testGroups } from '../support/test-groups.ts';
import { root, textOf } from './repository.ts';

describe('npm test', () => {
  const folders = readdirSync(join(root, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

  it('runs every folder in one of three processes: whole installations, the browser with some others, and the rest', () => {
    const groups = testGroups(folders);
    assert.equal(groups.length, 3);
    assert.deepEqual(groups.flat().sort(), folders.toSorted());
    assert.ok(groups[0]?.includes('http') && groups[1]?.includes('chaos'));
    assert.ok(groups[2]?.includes('web'));
  });

  it('starts no process for a group that has no folder', () => {
    assert.deepEqual(testGroups(['http', 'new']), [['http', 'new']]);
    assert.deepEqual(testGroups(['chaos', 'http']), [['http'], ['chaos']]);
  });

  it('reads the last count of a process, colours or not, and takes one that counted nothing for what it is', () => {
    const output =
      'title: 3 passing\n\n  12 passing (3s)\n  2 pending\n  1 failing\n\n  1) a test that prints 5 failing\n';
    const failures = '1) a test that prints 5 failing';
    const coloured = output.replace('  12 passing', '\u001b[92m \u001b[0m\u001b[32m 12 passing\u001b[0m');
    for (const text of [output, coloured])
      assert.deepEqual(endOf(1, text), { status: 1, passing: 12, failing: 1, failures });
    const lastWords = 'could not start';
    assert.deepEqual(endOf(7, lastWords), { status: 7, passing: 0, failing: 0, failures: lastWords });
    assert.equal(endOf(0, '  12 passing (3s)\n').failures, '');
  });

  it('says at the end once more what failed, whichever process it was in, and bounds it', () => {
    const green = endOf(0, '  12 passing (3s)\n');
    const red = endOf(
      1,
      `  3 passing (1s)\n  1 failing\n\n  1) the shop\n       sells:\n     Error: ${'x'.repeat(20_000)}`,
    );
    const said = summary([red, green], 60_000);
    assert.match(said, /1\) the shop\n {7}sells:\n {5}Error: xxx/);
    assert.ok(said.length < 10_000);
    assert.match(said, /\n {2}all together\n {2}15 passing \(1m\)\n {2}1 failing$/);
    assert.doesNotMatch(summary([green], 60_000), /failed/);
  });

  describe('.ci/run', () => {
    /** What its own `count` finds in an output. */
    const counted = (output: string): string[] => {
      const folder = mkdtempSync(join(tmpdir(), 'casebook-ci-'));
      try {
        const file = join(folder, 'output');
        writeFileSync(file, output);
        const definition = /^count\(\) .*$/m.exec(textOf('.ci/run'))?.[0];
        assert.ok(definition);
        const script = `output=${file}; ${definition}; echo "$(count passing),$(count failing)"`;
        return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(',');
      } finally {
        rmSync(folder, { recursive: true });
      }
    };

    it('counts all processes together', () => {
      const ended = [
        { status: 0, passing: 900, failing: 0, failures: '' },
        { status: 1, passing: 50, failing: 2, failures: '1) one that prints\n  7 failing\n  2) two' },
        { status: 0, passing: 7, failing: 0, failures: '' },
      ];
      const each = ended.map(({ passing, failing }) => `\n  ${passing} passing (1m)\n  ${failing} failing\n`).join('');
      assert.deepEqual(counted(`${each}${summary(ended, 600_000)}\n`), ['957', '2']);
      assert.deepEqual(counted(`${summary(ended.slice(0, 1), 1)}\n`), ['900', '']);
    });

    it('installs the browser where it is missing', () => {
      assert.match(textOf('.ci/run'), /\[chromium\]=chromium/);
      execFileSync('bash', ['-n', join(root, '.ci/run')]);
    });
  });
});
