import assert from 'node:assert/strict';
import { follow, type Page } from '../../../src/platform/event-log/follow.ts';
import { Nudges } from '../../../src/platform/event-log/nudges.ts';

const page = (...ids: string[]): Page => ({
  events: ids.map((id) => ({ id, type: 'x', data: {}, at: new Date(0) })),
  more: false,
});

describe('event log: follow', () => {
  it('ends at abort also while the server does not answer', async () => {
    const nudges = new Nudges({ pollMs: 60_000 });
    const stop = new AbortController();
    const tail = follow({
      afterId: undefined,
      signal: stop.signal,
      subscribe: () => nudges.subscribe('s'),
      readPage: () => new Promise<Page>(() => undefined),
    });
    const next = tail[Symbol.asyncIterator]().next();
    assert.equal(nudges.size, 1);
    stop.abort();
    assert.equal((await next).done, true);
    assert.equal(nudges.size, 0);
  });

  it('reads on from the last event given out after a failed read, and when no nudge comes', async () => {
    const nudges = new Nudges({ pollMs: 5 });
    const stop = new AbortController();
    const asked: (string | undefined)[] = [];
    const answers = [page('1', '2'), new Error('lost'), new Error('lost'), page(), page('3')];
    const seen: string[] = [];
    const tail = follow({
      afterId: undefined,
      signal: stop.signal,
      subscribe: () => nudges.subscribe('s'),
      readPage: async (afterId) => {
        asked.push(afterId);
        const answer = answers.shift() ?? page();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    for await (const { id } of tail) {
      seen.push(id);
      if (id === '3') stop.abort();
    }
    assert.deepEqual(seen, ['1', '2', '3']);
    assert.deepEqual(asked, [undefined, '2', '2', '2', '2']);
  });
});
