import assert from 'node:assert/strict';
import { linesOf } from '../../../web/src/components/diff/lines.ts';

describe('web: lines of a unified diff', () => {
  it('are what they are, by their place and not by their first character alone', () => {
    const diff = [
      'diff --git a/a b/notes.md b/a b/notes.md',
      'index 1111111..2222222 100644',
      '--- a/a b/notes.md',
      '+++ b/a b/notes.md',
      '@@ -1,3 +1,3 @@',
      ' same',
      '--- a list in Markdown',
      '+++ another',
      '\\ No newline at end of file',
      'diff --git a/new b/new',
      'new file mode 100644',
      '@@ -0,0 +1 @@',
      '+<b>',
      '',
    ].join('\n');
    assert.deepEqual(
      linesOf(diff).map(({ kind, text }) => `${kind}: ${text}`),
      [
        'file: a b/notes.md',
        'hunk: @@ -1,3 +1,3 @@',
        'same:  same',
        'removed: --- a list in Markdown',
        'added: +++ another',
        'note: \\ No newline at end of file',
        'file: new',
        'note: new file mode 100644',
        'hunk: @@ -0,0 +1 @@',
        'added: +<b>',
      ],
    );
  });

  it('of nothing are none', () => assert.deepEqual(linesOf(''), []));
});
