import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { LogLine } from '../../../src/features/sources/port.ts';
import { groupLogPatterns } from '../../../src/features/diagnosis/index.ts';

const lines = (...messages: string[]): LogLine[] =>
  messages.map((message, at) => ({ at, service: 'web', level: 'info', message }));
const patternsOf = (...messages: string[]) =>
  groupLogPatterns(lines(...messages)).patterns.map(({ pattern, count }) => `${count} ${pattern}`);

describe('log patterns', () => {
  it('masks numbers, times, ids and addresses', () => {
    assert.deepEqual(
      patternsOf(
        '2026-03-01T12:00:00.123Z GET /orders/17 from 10.0.0.1:8080 took 12ms id 550e8400-e29b-41d4-a716-446655440000',
        '2026-03-01 12:00:01 GET /orders/99 from 10.0.0.2:80 took 3.5ms id 123e4567-e89b-12d3-a456-426614174000',
        'temperature -3 at 0xFF',
        'temperature 40 at 0x10',
      ),
      ['2 <*> GET /orders/<*> from <*> took <*>ms id <*>', '2 temperature <*> at <*>'],
    );
  });

  it('finds the words that vary', () => {
    assert.deepEqual(
      patternsOf('login of alice failed: bad password', 'login of bob failed: bad password', 'cache flushed'),
      ['2 login of <*> failed: bad password', '1 cache flushed'],
    );
  });

  it('keeps apart what is said differently in JSON and logfmt lines', () => {
    assert.deepEqual(
      patternsOf(
        '{"msg":"cannot reserve stock","order":"a-1"}',
        '{"msg":"cannot reserve stock","order":"a-2"}',
        '{"msg":"lost connection pool","order":"a-3"}',
        'level=warn user=alice msg="slow query" ms=12',
        'level=warn user=bob msg="slow query" ms=900',
      ),
      [
        '2 {"msg":"cannot reserve stock","order":"a-<*>"}',
        '2 level=warn user=<*> msg="slow query" ms=<*>',
        '1 {"msg":"lost connection pool","order":"a-<*>"}',
      ],
    );
  });

  it('does not mix levels, and gathers services and times', () => {
    const { patterns } = groupLogPatterns([
      { at: 30, service: 'b', level: 'error', message: 'timeout after 3 s' },
      { at: 10, service: 'a', level: 'error', message: 'timeout after 5 s' },
      { at: 20, service: 'a', level: 'info', message: 'timeout after 7 s' },
    ]);
    assert.deepEqual(
      patterns.map(({ count, services, level, first, last }) => ({ count, services, level, first, last })),
      [
        { count: 2, services: ['a', 'b'], level: 'error', first: 10, last: 30 },
        { count: 1, services: ['a'], level: 'info', first: 20, last: 20 },
      ],
    );
  });

  it('tells a stack trace by its headline', () => {
    assert.deepEqual(
      patternsOf('IOError: disk full\n  at write (a.js:1)', 'IOError: disk full\n  at sync (b.js:2)\n  at c'),
      ['2 IOError: disk full'],
    );
  });

  it('counts every line once, with a pattern each line fits, for any text', () => {
    const word = fc.constantFrom('a', 'b', 'GET', '12', 'x=1', '"q"', '{', ':', '<*>', 'é😀', '\n', '');
    const message = fc.oneof(
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (messages, most) => {
        const { patterns, other } = groupLogPatterns(lines(...messages), { most });
        const counted = patterns.reduce((sum, { count }) => sum + count, 0);
        assert.equal(counted + other, messages.length);
        assert.ok(patterns.length <= most);
      }),
      { numRuns: 300 },
    );
  });

  it('recovers 40 known templates from 50,000 lines, rare ones too', () => {
    const events = [
      'accepted at once by',
      'rejected for lack of',
      'delayed until further notice',
      'cancelled without any reason',
      'shipped with express courier',
      'packed into several boxes',
      'refunded through another bank',
      'audited under new rules',
    ];
    const nouns = ['payment', 'order', 'parcel', 'invoice', 'session'];
    const names = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'];
    const templates = events.flatMap((event) => nouns.map((noun) => ({ event, noun })));
    function* stream(): Generator<LogLine> {
      for (let at = 0; at < 50_000; at++) {
        const rare = at % 1_000 === 999;
        const { event, noun } = templates[rare ? 39 : (at * 7) % 39] ?? { event: '', noun: '' };
        const name = names[Math.floor(at / 39) % names.length];
        yield { at, service: 's', level: 'info', message: `${noun} ${at} ${event} customer ${name} (${at % 97})` };
      }
    }
    const { patterns, other } = groupLogPatterns(stream());
    assert.equal(other, 0);
    const expected = templates.map(({ event, noun }) => `${noun} <*> ${event} customer <*> (<*>)`);
    assert.deepEqual(new Set(patterns.map(({ pattern }) => pattern)), new Set(expected));
    assert.equal(
      patterns.find(({ pattern }) => pattern.startsWith('session') && pattern.includes('audited'))?.count,
      50,
    );
  });

  it('bounds memory when nothing repeats', () => {
    const random = (seed: number) => ((seed * 2_654_435_761) % 4_294_967_296).toString(36).replaceAll(/\d/gu, 'q');
    const noise = Array.from({ length: 20_000 }, (_, at) =>
      Array.from({ length: 3 + (at % 9) }, (__, word) => random(at * 13 + word)).join(' '),
    );
    const { patterns, other } = groupLogPatterns(lines(...noise), { most: 200 });
    assert.ok(patterns.length <= 200);
    assert.equal(patterns.reduce((sum, { count }) => sum + count, 0) + other, 20_000);
  });

  it('is bounded on one enormous line', () => {
    const [pattern] = groupLogPatterns(lines('word '.repeat(2_000_000))).patterns;
    assert.ok((pattern?.pattern.length ?? 0) <= 2_010);
  });
});
