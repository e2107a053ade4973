import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { QueryError } from '@casebook/connectors';
import { backoffMs } from '../../packages/mcp/timings.ts';
import { boundedBody } from '../../packages/mcp/http/bounded-body.ts';
import { matcher } from '../../packages/mcp/tools.ts';
import { slowed } from '../../packages/mcp/stdio/slowed.ts';
import { createLineReader } from '../../packages/mcp/stdio/lines.ts';

function pieces(bytes: Buffer, cuts: number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, n) => bytes.subarray(at[n], end));
}

const cuts = fc.array(fc.nat(), { maxLength: 20 });

describe('bounds of what MCP servers send', () => {
  it('reads the same lines from pieces of any size, and the ends of those that are too long', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\n', '')),
      fc.nat({ max: 3_000 }).map((n) => `<${'x'.repeat(n)}>`),
    );
    fc.assert(
      fc.property(fc.array(line), cuts, (lines, cuts) => {
        const read: string[] = [];
        const reader = createLineReader(1_000, {
          line: (text) => read.push(text),
          tooLong: (head, tail) => read.push(`${head}…${tail}`),
        });
        for (const piece of pieces(Buffer.from(lines.map((text) => `${text}\n`).join('')), cuts)) reader(piece);
        const expected = lines.map((text) =>
          Buffer.byteLength(text) > 1_000 ? `${text.slice(0, 512)}…${text.slice(-512)}` : text,
        );
        assert.deepEqual(read, expected);
      }),
    );
  });

  it('counts the bytes of each event of a stream, however they come', async () => {
    const event = fc.nat({ max: 90 }).map((n) => `data: ${'x'.repeat(n)}`);
    const end = fc.constantFrom('\n', '\r\n');
    await fc.assert(
      fc.asyncProperty(fc.array(event), end, cuts, fc.boolean(), async (events, end, cuts, tooLong) => {
        const all = [...events, ...(tooLong ? [`data: ${'x'.repeat(200)}`] : [])]
          .map((one) => one + end + end)
          .join('');
        // Without cuts a piece holds several events, of which only what follows the last counts.
        const bytes = Buffer.from(all);
        const body = ReadableStream.from(
          tooLong ? [...bytes].map((_, n) => bytes.subarray(n, n + 1)) : pieces(bytes, cuts),
        );
        const bounded = boundedBody(body, { maxBytes: tooLong ? 150 : all.length + 1, events: true });
        const read = new Response(bounded).text();
        if (tooLong) await assert.rejects(read, QueryError);
        else assert.equal(await read, all);
      }),
      { numRuns: 30 },
    );
  });

  it('ends a body cleanly with the given suffix', async () => {
    const failing = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from('begun'));
      },
      pull(controller) {
        controller.error(new Error('cut'));
      },
    });
    const failures: unknown[] = [];
    const body = boundedBody(failing, {
      maxBytes: 100,
      events: true,
      onEnd: (failure) => {
        failures.push(failure);
        return ' and ended';
      },
    });
    assert.match(await new Response(body).text(), / and ended$/u);
    assert.equal(failures.length, 1);
    assert.match(String(failures[0]), /cut/u);
  });

  it('stops reading a stream for a while when it brings too much, and reads all of it in the end', async () => {
    const stream = Readable.from(Array.from({ length: 15 }, () => Buffer.alloc(100_000)));
    let bytes = 0;
    const pauses: number[] = [];
    stream.on('pause', () => pauses.push(bytes));
    slowed(stream, 1_000_000, (chunk) => (bytes += chunk.length));
    await once(stream, 'end');
    assert.deepEqual(pauses, [1_100_000]);
    assert.equal(bytes, 1_500_000);
  });

  it('matches names as globs, letter by letter otherwise', () => {
    const matches = matcher(['get_*', 'a.b', 'x?z', '[1]']);
    for (const name of ['get_', 'get_all\nof it', 'a.b', 'x-z', '[1]']) assert.ok(matches(name), name);
    for (const name of ['forget_', 'aXb', 'xz', '1', '']) assert.ok(!matches(name), name);
    assert.ok(!matcher([])('any'));
  });

  it('waits longer after each failure, never twice as long as the most, and never not at all', () => {
    const backoff = { firstMs: 500, maxMs: 60_000 };
    for (let failures = 1; failures < 100; failures += 1) {
      const whole = Math.min(60_000, 500 * 2 ** (failures - 1));
      const ms = backoffMs(failures, backoff);
      assert.ok(ms >= whole / 2 && ms <= whole, `${failures}: ${ms}`);
    }
  });
});
