import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createExcerptMatcher, findExcerpts } from '../../../src/features/citations/index.ts';
import { findMatches } from '../../../src/features/citations/matcher/find-excerpts.ts';
import { DependencyDown } from '../../../src/http/errors.ts';
import { largeLog } from './support/large.ts';

const finds = (content: string, claim: string): string[] =>
  findExcerpts({ content, citationId: 1, text: `${claim} [1].` });

describe('numbers of a claim', () => {
  const cases: [claim: string, holds: string[], others: string[]][] = [
    [
      'The latency was 2.3 s',
      ['latency 2.3', 'latency_ms=2312.4', 'latency 2.26s', 'latency: 2,340 ms'],
      ['latency 2.36 s', 'latency_ms=2.3', 'latency 23 s'],
    ],
    [
      'The latency was about 1,200 ms',
      ['latency 1.2 s', 'latency 1243ms', 'latency_us=1187000'],
      ['latency 1.3 s', 'latency 12 s'],
    ],
    ['The latency was over 15 seconds', ['latency 15204ms', 'latency 17 s'], ['latency 14 s', 'latency 40 s']],
    [
      'The ratio of errors is 12%',
      ['errors ratio 0.1198', 'errors ratio 12.4 %', 'errors_percent 11.9'],
      ['errors ratio 0.2', 'errors ratio 1.2 %', 'errors_percent 0.12'],
    ],
    ['There were 1.5k errors', ['errors: 1523', 'errors 1,480', 'errors 1.5K'], ['errors 1620', 'errors 15']],
    ['There were 48213 errors', ['errors: 48,213', 'errors 48213'], ['errors 48214', 'errors 4821']],
    [
      'The heap grew to 1.8 GiB',
      ['heap_bytes 1932735283', 'heap 1843MiB', 'heap 1.8Gi'],
      ['heap_bytes 2932735283', 'heap 1.8 MB'],
    ],
    [
      'The run took five minutes',
      ['run took 300 s', 'run took 5m3s', 'run took 00:05:02'],
      ['run took 5 s', 'run took 50 minutes'],
    ],
    ['It exited with code 137', ['exited, code 137'], ['exited, code 1', 'exited, code 1370', 'exited, code 1.37']],
  ];
  for (const [claim, holds, others] of cases) {
    it(claim, () => {
      for (const content of holds) assert.deepEqual(finds(content, claim), [content], content);
      for (const content of others) assert.deepEqual(finds(content, claim), [], content);
    });
  }
});

describe('times of a claim', () => {
  const cases: [claim: string, holds: string[], others: string[]][] = [
    [
      'Deploys began at 10:42 UTC',
      [
        '2026-03-01T10:42:59Z deploys began',
        '[01/Mar/2026:10:42:01 +0000] deploys began',
        '{"t":1772361720,"m":"deploys began"}',
        '{"t":1772361779000,"m":"deploys began"}',
        '2026-03-01T12:42:10+02:00 deploys began',
        '20260301T104205Z deploys began',
      ],
      [
        '2026-03-01T10:44:00Z deploys began',
        '2026-03-01T10:42:10+02:00 deploys began',
        '{"t":1772361960,"m":"deploys began"}',
      ],
    ],
    ['Deploys began at 2:05 pm PDT', ['21:05:30 deploys began'], ['14:05:30 deploys began', '02:05:30 deploys began']],
    ['Deploys began at 11:42 CET', ['2026-03-01 10:42:07 deploys began'], ['2026-03-01 11:42:07 deploys began']],
    ['Deploys began on 1 March at 10:42', ['2026-03-01 10:42:07 deploys began'], ['2026-03-02 10:42:07 deploys began']],
    ['Deploys began on 2026-03-01', ['2026-03-01 10:42:07 deploys began'], ['2026-02-01 10:42:07 deploys began']],
  ];
  for (const [claim, holds, others] of cases) {
    it(claim, () => {
      for (const content of holds) assert.equal(finds(content, claim).length, 1, content);
      for (const content of others) assert.deepEqual(finds(content, claim), [], content);
    });
  }
});

describe('excerpts', () => {
  it('are at most five, and no longer than about a thousand characters', () => {
    const facts = Array.from({ length: 12 }, (_, index) => `service-${index} had ${index * 111 + 100} errors`);
    const text = facts.map((fact) => `${fact} [1].`).join(' ');
    const content = facts.map((fact) => `${fact}\n\nnothing else\n\n`).join('');
    assert.equal(findExcerpts({ content, citationId: 1, text }).length, 5);
    assert.equal(findExcerpts({ content, citationId: 1, text, most: 2 }).length, 2);
    const long = finds(
      `begin ${'x'.repeat(3_000)} the pool was exhausted ${'y'.repeat(3_000)} end`,
      'The pool was exhausted',
    );
    assert.ok(long.length > 0 && long.every((excerpt) => excerpt.length <= 1_000));
  });

  const token = fc.constantFrom(
    ...Array.from('{}[]:,|"\'`\\\n\t \0é'),
    ...'pool checkout [1] 2.3s 2312 10:42 --- ERROR 2026-03-01T10:42:11Z 😀 订单 at-x.y(z) 1e999 1,234 0x <a> # -'.split(
      ' ',
    ),
    '\ud83d',
    '\\n',
  );
  const text = fc
    .array(fc.oneof(token, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 60 })
    .map((parts) => parts.join(' '));
  const glued = fc.array(token, { maxLength: 80 }).map((parts) => parts.join(''));
  const json = fc.json({ maxDepth: 5 });

  it('are pieces of the result, whatever result and text are', () => {
    fc.assert(
      fc.property(fc.oneof(text, glued, json), fc.oneof(text, glued), (content, claim) => {
        const { excerpts, candidates } = findMatches(
          { content, citationId: 1, text: `${claim} checkout pool 2.3 s [1]` },
          { most: 40, characters: 24_000 },
        );
        for (const piece of [...excerpts, ...candidates]) assert.ok(piece !== '' && content.includes(piece), piece);
        assert.ok(excerpts.length <= 5);
      }),
      { numRuns: 400 },
    );
  });

  it('of JSON hold what the claim repeats of one of its records', () => {
    const record = fc.record({
      service: fc.stringMatching(/^[a-z]{5,9}$/),
      errors: fc.integer({ min: 1_000, max: 999_999 }),
    });
    const records = fc.uniqueArray(record, { minLength: 1, maxLength: 30, selector: ({ service }) => service });
    fc.assert(
      fc.property(records, fc.nat(), fc.constantFrom(0, 2), (list, pick, indent) => {
        const { service, errors } = list[pick % list.length]!;
        const content = JSON.stringify(list, null, indent);
        const excerpts = finds(content, `${service} had ${errors} errors`);
        assert.ok(excerpts.some((excerpt) => excerpt.includes(`"${service}"`) && excerpt.includes(String(errors))));
      }),
      { numRuns: 100 },
    );
  });
});

describe('candidates', () => {
  it('are the likeliest pieces within their bounds', () => {
    const query = {
      content: largeLog(400_000, 'checkout ERROR pool exhausted'),
      citationId: 1,
      text: 'The pool ran dry [1].',
    };
    const { candidates, claims } = findMatches(query, { most: 40, characters: 2_000 });
    assert.match(candidates[0]!, /pool exhausted/);
    assert.ok(candidates.length > 5 && candidates.join('').length <= 2_000);
    assert.deepEqual(
      claims.map(({ statement }) => statement),
      ['The pool ran dry'],
    );
  });
});

describe('the matcher off the event loop', () => {
  const bounds = { most: 40, characters: 24_000 };
  const query = {
    content: largeLog(300_000, 'checkout ERROR pool exhausted'),
    citationId: 1,
    text: 'The pool was exhausted [1].',
  };
  const idle = new AbortController().signal;

  it('says the same as on it', async () => {
    const matcher = createExcerptMatcher({ longestMs: 60_000 });
    try {
      assert.deepEqual(await matcher.match('team', query, bounds, idle), findMatches(query, bounds));
    } finally {
      await matcher.close();
    }
  });

  it('gives up a search that takes too long, and one whose caller has gone', async () => {
    const hasty = createExcerptMatcher({ longestMs: 1 });
    const matcher = createExcerptMatcher({ longestMs: 60_000 });
    try {
      await assert.rejects(hasty.match('team', query, bounds, idle), DependencyDown);
      const leaving = new AbortController();
      const search = matcher.match('team', query, bounds, leaving.signal);
      leaving.abort(new Error('gone'));
      await assert.rejects(search, /gone/);
      await assert.rejects(matcher.match('team', query, bounds, leaving.signal), /gone/);
      assert.equal((await matcher.match('team', query, bounds, idle)).excerpts.length, 1);
    } finally {
      await Promise.all([hasty.close(), matcher.close()]);
    }
  });

  it('turns searches of a team away when many wait, and not those of others', async () => {
    const matcher = createExcerptMatcher({ longestMs: 60_000 });
    try {
      const searches = Promise.allSettled(Array.from({ length: 40 }, () => matcher.match('team', query, bounds, idle)));
      const others = matcher.match('other', query, bounds, idle);
      const first = await Promise.race([others.then(() => 'others'), searches.then(() => 'team')]);
      assert.equal(first, 'others');
      const settled = await searches;
      const refused = settled.filter((search) => search.status === 'rejected');
      assert.ok(refused.length > 0 && refused.length < 40);
      assert.ok(refused.every(({ reason }) => reason instanceof DependencyDown && reason.code === 'busy'));
    } finally {
      await matcher.close();
    }
  });
});
