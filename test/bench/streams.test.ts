import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../src/embedded/free-port.ts';
import { uiEvents } from '../../bench/support/chat-stream.ts';
import { deltasIn, deltaText } from '../../bench/support/delta-text.ts';
import { processorSeconds, residentBytes } from '../../bench/support/process-cost.ts';
import { startProgram } from '../../bench/support/program.ts';
import type { ReadStreamsInput, ReadStreamsOutput } from '../../bench/support/read-streams.ts';
import { quantile } from '../../bench/support/statistics.ts';

const { signal } = new AbortController();

describe('what the benchmark of streams is made of', () => {
  it('finds in a piece of a stream the deltas that are in it', () => {
    const text = [deltaText(0, 1_000.5), deltaText(1, 1_001)].map((delta) => JSON.stringify({ delta })).join('\n\n');
    assert.deepEqual(
      [...deltasIn(text)],
      [
        { sequence: 0, at: 1_000.5 },
        { sequence: 1, at: 1_001 },
      ],
    );
  });

  it('reads the chunks of a stream in order, and takes no end for another', async () => {
    const types = async (body: string): Promise<string[]> => {
      const seen: string[] = [];
      for await (const { type } of uiEvents(new Response(body))) seen.push(type);
      return seen;
    };
    const chunks = 'id: 1\ndata: {"type":"start"}\n\ndata: {"type":"text-delta","delta":"a"}\n\n';
    assert.deepEqual(await types(`${chunks}data: [DONE]\n\n`), ['start', 'text-delta']);
    await assert.rejects(types(chunks), /ended early/);
    await assert.rejects(async () => uiEvents(new Response('no', { status: 503 })).next(), /503/);
  });

  it('knows what a process uses', () => {
    const before = processorSeconds(process.pid);
    const { user, system } = process.cpuUsage();
    while (process.cpuUsage().user + process.cpuUsage().system < user + system + 50_000);
    assert.ok(processorSeconds(process.pid) > before);
    const { rss } = process.memoryUsage();
    assert.ok(Math.abs(residentBytes(process.pid) - rss) < rss / 2);
  });

  it('has as p99 a value that 1 in 100 is at or above', () => {
    assert.equal(
      quantile(
        Array.from({ length: 1_000 }, (_, index) => index),
        0.99,
      ),
      990,
    );
    assert.throws(() => quantile([], 0.5), RangeError);
  });

  describe('readers', () => {
    let server: ReturnType<typeof spawn>;
    let input: ReadStreamsInput;
    beforeEach(async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      // Three streams of ten deltas a second, for a second.
      server = spawn(process.execPath, ['bench/support/bare-sse.ts', String(port), '3', '10', '1'], {
        stdio: 'inherit',
      });
      while (
        !(await fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ))
      );
      input = {
        streams: Array.from({ length: 3 }, () => ({ url: `${url}/stream`, headers: {} })),
        deltas: 10,
        quietSeconds: 15,
      };
    });
    afterEach(async () => {
      const exited = once(server, 'exit');
      server.kill();
      await exited;
    });

    it('count and time every delta', async () => {
      const { ready, result } = startProgram<ReadStreamsOutput>('read-streams.ts', input, signal);
      await ready;
      const { received, disordered, p50Ms, p99Ms, maxMs } = await result;
      assert.deepEqual({ received, disordered }, { received: 30, disordered: 0 });
      assert.ok(p50Ms <= p99Ms && p99Ms <= maxMs);
    });

    it('miss what does not come', async () => {
      const waiting = { ...input, deltas: 11, quietSeconds: 3 };
      const { result } = startProgram<ReadStreamsOutput>('read-streams.ts', waiting, signal);
      assert.equal((await result).received, 30);
    });
  });

  it('says why a program has failed', async () => {
    const { ready, result } = startProgram(
      'read-streams.ts',
      { streams: [{ url: 'http://127.0.0.1:1', headers: {} }], deltas: 1, quietSeconds: 1 },
      signal,
    );
    await assert.rejects(ready, /read-streams.ts ended with 1: .*ECONNREFUSED/s);
    await assert.rejects(result, /ECONNREFUSED/);
  });
});
