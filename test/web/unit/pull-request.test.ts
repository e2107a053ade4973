import assert from 'node:assert/strict';
import { linesByFile } from '../../../web/src/components/pull-request/diff.ts';

describe('web: diffs of suggested changes', () => {
  it('tells added, removed and unchanged lines of each file, and where they are', () => {
    const diff = [
      'diff --git a/pool.ts b/pool.ts',
      'index 1..2 100644',
      '--- a/pool.ts',
      '+++ b/pool.ts',
      '@@ -1,2 +1,2 @@',
      '-const size = 1;',
      '+const size = 10;',
      ' diff --git a/x b/x',
      '\\ No newline at end of file',
      'diff --git a/logo.png b/logo.png',
      'Binary files a/logo.png and b/logo.png differ',
      '',
    ].join('\n');
    const [pool, logo, ...others] = linesByFile(diff);
    assert.deepEqual(
      pool?.map(({ kind, text }) => `${kind} ${text}`),
      [
        'place @@ -1,2 +1,2 @@',
        'removed -const size = 1;',
        'added +const size = 10;',
        'same  diff --git a/x b/x',
        'place \\ No newline at end of file',
      ],
    );
    assert.deepEqual(
      logo?.map(({ kind }) => kind),
      ['place'],
    );
    assert.deepEqual(others, []);
    assert.deepEqual(linesByFile(''), []);
  });
});
