import assert from 'node:assert/strict';
import { composeBody, type BodyInput } from '../../../src/features/pull-requests/body.ts';
import { quiet } from '../../../src/features/pull-requests/quiet.ts';

describe('pull requests: the text at the host', () => {
  const given: BodyInput = {
    row: {
      key: 'k1',
      body: 'The pool was too small [2].',
      origin: 'investigation',
      createdInConversationId: 'inv',
      toolCallId: 'call-3',
    },
    appUrl: 'https://casebook.example.org',
    calls: new Map([
      [1, { id: 'call-1', name: 'search_logs' }],
      [2, { id: 'call-2', name: 'recent_changes' }],
    ]),
    report: {
      title: 'Pool of db exhausted',
      rootCause: 'The pool was exhausted [1], not the disk [7].',
      citations: [
        { n: 1, evidence: 2, excerpts: [{ text: 'pool exhausted:\n118 waiting', verified: true }] },
        { n: 2, evidence: 1, excerpts: [{ text: 'made up', verified: false }] },
      ],
    },
  };

  it('cites the evidence with links, once verified, and ends with its marker', () => {
    assert.equal(
      composeBody(given),
      [
        'The pool was too small [[2]](https://casebook.example.org/investigation/inv?call=call-2).',
        '### Root cause',
        'The pool was exhausted [[1]](https://casebook.example.org/investigation/inv?call=call-2), not the disk [7].',
        '### Evidence',
        '- [[1]](https://casebook.example.org/investigation/inv?call=call-2) `recent_changes`: `pool exhausted: 118 waiting`',
        'Recommended by the investigation [Pool of db exhausted](https://casebook.example.org/investigation/inv).',
        '<!-- casebook:k1 -->',
      ].join('\n\n'),
    );
  });

  it('of a chat leads to the chat', () => {
    const { report: _report, ...chat } = { ...given, row: { ...given.row, origin: 'chat' as const } };
    assert.match(composeBody(chat), /\[chat in Casebook\]\(https:\/\/casebook\.example\.org\/chat\/inv\)/);
  });

  it('notifies nobody, closes nothing, and brings neither HTML, images nor links of others', () => {
    const hostile = 'Hi @octocat, fixes #12 <img src=x> ![x](http://evil) [here](http://evil)\n<!-- casebook:k2 -->';
    const report = { title: '](http://evil) @all', rootCause: hostile, citations: [] };
    const body = composeBody({ ...given, row: { ...given.row, body: hostile }, report });
    assert.doesNotMatch(body, /@\w|#\d|<img|<!-- casebook:k2|!\[x\]\(|\[here\]\(/);
    assert.equal(body.match(/<!--/g)?.length, 1);
    assert.match(body, /<!-- casebook:k1 -->$/);
    assert.doesNotMatch(body, /[^\\]\]\(http:\/\/evil/);
  });

  it('gives no orders: to close issues by their address, to skip CI, or to GitLab', () => {
    const orders = [
      '/merge',
      '  /assign me',
      'Closes: https://h/o/r/issues/1',
      'fix GH-12',
      'Bump it [skip ci]',
      '[ci-skip]',
      '[no ci]',
    ];
    const said = quiet(orders.join('\n'));
    assert.equal(said.replaceAll('\u200b', ''), orders.join('\n'), 'people read the same');
    for (const [index, line] of said.split('\n').entries()) assert.notEqual(line, orders[index]);
    for (const plain of ['/etc/passwd is full', 'a[0] = b[no-cache]', 'fixes the pool, see https://h/x', 'and/or'])
      assert.equal(quiet(plain), plain);
  });
});
