import assert from 'node:assert/strict';
import { join } from 'node:path';
import { git, mirrored, scratch, team, type Scratch } from './support.ts';

describe('workspace: differences', () => {
  let given: Scratch;
  before(() => {
    given = scratch();
  });
  after(() => given.remove());

  it('are shown file by file', async () => {
    const files = team(given);
    const { workspace } = files;
    const from = await mirrored(files, {
      bin: { content: Buffer.from([0, 1, 2]) },
      a: { content: 'diff --git a/x b/x\n' },
    });
    const to = await workspace.preview(
      [
        { path: 'a', content: 'diff --git a/x b/x\nmore\n' },
        { path: 'bin', content: null },
        { path: 'ü b', content: 'no break' },
      ],
      { at: from },
    );
    const { files: changed, truncated } = await workspace.diff(from, to);
    assert.equal(truncated, false);
    assert.deepEqual(
      changed.map(({ path, change, additions, deletions }) => ({ path, change, additions, deletions })),
      [
        { path: 'a', change: 'modified', additions: 1, deletions: 0 },
        { path: 'bin', change: 'deleted', additions: 0, deletions: 0 },
        { path: 'ü b', change: 'added', additions: 1, deletions: 0 },
      ],
    );
    assert.match(changed[0]!.diff, /^diff --git a\/a b\/a\n[^]*\n diff --git a\/x b\/x\n\+more\n$/);
    assert.match(changed[1]!.diff, /Binary files a\/bin and \/dev\/null differ\n$/);
    assert.match(changed[2]!.diff, /\+no break\n\\ No newline at end of file\n$/);
    // It is a patch that Git itself takes for the same change.
    const env = { GIT_INDEX_FILE: join(files.repository, 'test-index') };
    git(files.repository, ['read-tree', from], { env });
    const patch = changed.filter(({ path }) => path !== 'bin').map(({ diff }) => diff);
    git(files.repository, ['apply', '--cached'], { env, input: patch.join('') });
    const deletion = `0 ${'0'.repeat(40)}\tbin\n`;
    git(files.repository, ['update-index', '--index-info'], { env, input: deletion });
    assert.equal(git(files.repository, ['write-tree'], { env }), to);
  });

  it('that are too long are cut at the end of a line, and say so', async () => {
    const { workspace } = team(given);
    const from = await workspace.head();
    const text = `${'y'.repeat(99)}\n`.repeat(3_000);
    const to = await workspace.preview(
      ['a', 'b'].map((path) => ({ path, content: text })),
      { at: from },
    );
    const { files, truncated } = await workspace.diff(from, to);
    assert.equal(truncated, true);
    const [a, b] = files;
    assert.ok(a!.diff.length > 199_000 && a!.diff.length <= 200_000);
    assert.ok(a!.diff.endsWith('y\n'));
    assert.ok(b!.diff.length < 200);
    assert.deepEqual([a!.additions, b!.additions], [3_000, 3_000]);
  });
});
