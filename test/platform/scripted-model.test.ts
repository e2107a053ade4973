import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createModelClient, type ModelRequest } from '../../src/platform/anthropic/index.ts';
import { byTurn, overloaded, startScriptedModel } from '../support/scripted-model/index.ts';

const never = new AbortController().signal;
const ask = (text: string, answers: string[] = []): ModelRequest => ({
  system: '',
  messages: [
    { role: 'user', content: text },
    ...answers.flatMap((answer) => [
      { role: 'assistant' as const, content: answer },
      { role: 'user' as const, content: 'go on' },
    ]),
  ],
  tools: [],
  maxTokens: 100,
});

describe('scripted model', () => {
  it('answers by turn and attempt, whatever the order of conversations', async () => {
    const server = await startScriptedModel(byTurn([[overloaded, { text: 'first' }], { text: 'second' }]));
    const client = createModelClient({ baseUrl: server.url });
    await assert.rejects(client.complete(ask('a'), { signal: never }), { kind: 'overloaded' });
    await assert.rejects(client.complete(ask('b'), { signal: never }), { kind: 'overloaded' });
    const first = await client.complete(ask('a'), { signal: never });
    const second = await client.complete(ask('b', ['first']), { signal: never });
    assert.deepEqual(
      [...first.content, ...second.content].map((block) => block.type === 'text' && block.text),
      ['first', 'second'],
    );
    assert.deepEqual(
      server.requests.map(({ turn, attempt }) => [turn, attempt]),
      [
        [0, 0],
        [0, 0],
        [0, 1],
        [1, 0],
      ],
    );
    await assert.rejects(client.complete(ask('a', ['first', 'second']), { signal: never }), {
      kind: 'invalid_request',
    });
    await server.stop();
  });

  it('runs as a process that can be asked what it was asked, and released', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'scripted-model-'));
    const script = join(folder, 'script.json');
    await writeFile(script, JSON.stringify([{ text: 'a long answer '.repeat(20), hold: { gate: 'g', at: 'middle' } }]));
    const main = new URL('../support/scripted-model/main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [main, script], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line]: string[] = await once(createInterface(child.stdout), 'line');
      const { url }: { url: string } = JSON.parse(line ?? '');
      const answer = createModelClient({ baseUrl: url }).complete(ask('a'), { signal: never });
      const release = async (gate: string): Promise<{ waiting: Record<string, number> }> => {
        const response = await fetch(`${url}/_release`, { method: 'POST', body: JSON.stringify({ gate }) });
        const body: { waiting: Record<string, number> } = JSON.parse(await response.text());
        return body;
      };
      while (!(await release('another')).waiting['g']) await new Promise((resolve) => setImmediate(resolve));
      await release('g');
      assert.equal((await answer).stopReason, 'end_turn');
      const asked: { count: number; requests: { finished: boolean }[] } = JSON.parse(
        await (await fetch(`${url}/_requests`)).text(),
      );
      assert.equal(asked.count, 1);
      assert.equal(asked.requests[0]?.finished, true);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    }
  });
});
