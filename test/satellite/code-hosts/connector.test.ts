import assert from 'node:assert/strict';
import { CodeHostError, connectionTest, TEST_CONNECTION, type CodeHost, type HostChange } from '@casebook/connectors';
import { z } from 'zod';
import { defineCodeHostKind } from '../../../packages/connectors/shared/code-host/connector.ts';
import { ask, connectorOf } from '../stores/support.ts';

type Answers = Pick<CodeHost, 'account' | 'changes'> & { names: string[] };

const change = (id: string, at: number): HostChange => ({
  id,
  at,
  kind: 'merge',
  summary: ` Change\n ${id}`,
  author: 'ann',
});
const changesAnswer = z.object({
  truncated: z.boolean(),
  changes: z.array(z.looseObject({ id: z.string(), at: z.number(), service: z.string(), summary: z.string() })),
});

/** The connector over a host that answers as the test says. */
function connect(answers: Partial<Answers>) {
  const { names = [], ...calls } = answers;
  const listed: string[] = [];
  const host = {
    kind: 'gitea',
    account: () => Promise.resolve({ login: 'ann', version: '1.26.0', warnings: [] }),
    changes: () => Promise.resolve([]),
    async *repositories() {
      for (const fullName of names) {
        listed.push(fullName);
        const urls = { cloneUrl: 'https://git/x.git', webUrl: 'https://git/x' };
        yield { id: fullName, fullName, defaultBranch: 'main', isPrivate: true, isArchived: false, ...urls };
      }
    },
    ...calls,
  } satisfies Partial<CodeHost>;
  const definition = defineCodeHostKind({
    kind: 'gitea',
    config: z.strictObject({}),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the connector asks for nothing else
    open: () => host as unknown as CodeHost,
    credential: () => 'private_key',
  });
  const connector = connectorOf(definition, {});
  return {
    connector,
    listed,
    test: async () => connectionTest.parse(await ask(connector, TEST_CONNECTION)),
    changes: async (query: object = {}) =>
      changesAnswer.parse(await ask(connector, 'changes', { from: 0, to: 100, ...query })),
  };
}

const refuse = (reason: CodeHostError['reason']) => () => Promise.reject(new CodeHostError(reason, `It is ${reason}.`));

describe('connectors of code hosts', () => {
  describe('test the connection', () => {
    it('and say who, which version, what is amiss, and the first repositories', async () => {
      const names = Array.from({ length: 30 }, (_, i) => `shop/service-${i}`);
      const account = () =>
        Promise.resolve({ login: 'ann', version: '1.26.0', warnings: ['The token lacks a scope.'] });
      const { test, connector } = connect({ names, account });
      const { latencyMs, resources, ...rest } = await test();
      assert.ok(latencyMs >= 0);
      assert.deepEqual(resources[0], { id: 'shop/service-0', name: 'shop/service-0' });
      assert.equal(resources.length, 20);
      assert.deepEqual(rest, {
        status: 'ok',
        message: 'Connected to Gitea as ann.',
        version: '1.26.0',
        warnings: ['The token lacks a scope.'],
      });
      await connector.check(new AbortController().signal);
    });

    it('and warn of a credential that sees nothing', async () => {
      assert.deepEqual((await connect({}).test()).warnings, ['The credential sees no repository.']);
    });

    for (const [reason, status, field] of [
      ['unauthorized', 'refused', 'private_key'],
      ['forbidden', 'refused', 'private_key'],
      ['not_found', 'unreachable', 'url'],
      ['limited', 'unreachable', undefined],
      ['unavailable', 'unreachable', undefined],
    ] as const) {
      it(`and name the setting at fault: ${reason}`, async () => {
        const { test, connector } = connect({ account: refuse(reason) });
        const found = await test();
        assert.deepEqual([found.status, found.field, found.message], [status, field, `It is ${reason}.`]);
        await assert.rejects(connector.check(new AbortController().signal), { message: `It is ${reason}.` });
      });
    }
  });

  describe('list changes', () => {
    it('of all repositories, in order of time, under the name of each', async () => {
      const changes: CodeHost['changes'] = (fullName, { from, to }) => {
        assert.deepEqual([from, to], [0, 100]);
        return Promise.resolve(fullName === 'a/cart' ? [change('pull_request:1', 30)] : [change('release:v1', 10)]);
      };
      const found = await connect({ names: ['a/cart', 'group/sub/checkout'], changes }).changes();
      assert.equal(found.truncated, false);
      assert.deepEqual(found.changes, [
        {
          id: 'group/sub/checkout:release:v1',
          at: 10,
          kind: 'merge',
          service: 'checkout',
          summary: 'Change release:v1',
          author: 'ann',
        },
        {
          id: 'a/cart:pull_request:1',
          at: 30,
          kind: 'merge',
          service: 'cart',
          summary: 'Change pull_request:1',
          author: 'ann',
        },
      ]);
    });

    it('of one service, wherever it stands in the list', async () => {
      const names = [...Array.from({ length: 500 }, (_, i) => `shop/service-${i}`), 'shop/cart'];
      const asked: string[] = [];
      const changes: CodeHost['changes'] = (fullName) => Promise.resolve((asked.push(fullName), [change('x', 1)]));
      const found = await connect({ names, changes }).changes({ service: 'cart' });
      assert.deepEqual([asked, found.truncated, found.changes.length], [['shop/cart'], false, 1]);
    });

    it('of the first repositories where there are many, and says so', async () => {
      const names = Array.from({ length: 1_000 }, (_, i) => `shop/service-${i}`);
      let running = 0;
      let most = 0;
      const asked: string[] = [];
      const changes: CodeHost['changes'] = async (fullName) => {
        most = Math.max(most, ++running);
        asked.push(fullName);
        await new Promise(setImmediate);
        running -= 1;
        return [];
      };
      const { changes: list, listed } = connect({ names, changes });
      assert.deepEqual(await list(), { truncated: true, changes: [] });
      assert.equal(asked.length, 100);
      assert.ok(asked.includes('shop/service-0') && listed.length < 200 && most > 1 && most < 10);
    });

    it('the newest if there are too many', async () => {
      const changes = () => Promise.resolve([1, 2, 3].map((at) => change(`c${at}`, at)));
      const found = await connect({ names: ['a/b'], changes }).changes({ limit: 2 });
      assert.deepEqual([found.changes.map(({ at }) => at), found.truncated], [[2, 3], true]);
    });

    it('without a repository that is gone or closed to it, which it says', async () => {
      for (const reason of ['not_found', 'forbidden'] as const) {
        const changes: CodeHost['changes'] = (name) =>
          name === 'a/gone' ? refuse(reason)() : Promise.resolve([change('x', 1)]);
        const found = await connect({ names: ['a/gone', 'a/b'], changes }).changes();
        assert.deepEqual([found.changes.length, found.truncated], [1, true]);
      }
    });

    it('and fail as a whole where the host limits or does not answer', async () => {
      for (const reason of ['limited', 'unavailable', 'unauthorized'] as const)
        await assert.rejects(connect({ names: ['a/b'], changes: refuse(reason) }).changes(), { reason });
    });
  });
});
