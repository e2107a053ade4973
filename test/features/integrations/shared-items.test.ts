import assert from 'node:assert/strict';
import { shareItems } from '../../../src/features/integrations/shared-items.ts';

describe('shared items', () => {
  const setUp = () => {
    const closed: string[] = [];
    let opened = 0;
    const items = shareItems<string>({
      maxSize: 2,
      idleMs: 60_000,
      close: async (item) => void closed.push(item),
      isLost: (error) => error instanceof Error && error.message === 'lost',
    });
    const open = (key: string) => () => `${key}${++opened}`;
    return { items, open, closed };
  };

  it('stay open for the calls that use them when they make room for others', async () => {
    const { items, open, closed } = setUp();
    const inUse = Promise.withResolvers<void>();
    const used = items.use('a', open('a'), () => inUse.promise);
    items.get('b', open('b'));
    items.get('c', open('c'));
    items.get('d', open('d'));
    assert.deepEqual(closed, ['b2'], 'nobody uses b');
    inUse.resolve();
    await used;
    assert.deepEqual(closed, ['b2', 'a1']);
  });

  it('are opened again after an error that says so, and closed once', async () => {
    const { items, open, closed } = setUp();
    const fail = (error: string) =>
      items.use('a', open('a'), async () => {
        throw new Error(error);
      });
    await assert.rejects(fail('other'));
    await assert.rejects(fail('lost'));
    assert.equal(items.get('a', open('a')), 'a2');
    await items.close();
    assert.deepEqual(closed, ['a1', 'a2']);
  });
});
