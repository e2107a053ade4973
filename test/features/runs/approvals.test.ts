import assert from 'node:assert/strict';
import { z } from 'zod';
import { waitUntil } from '../../support/wait-until.ts';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import { decideApproval, outcomeOf, sweepApprovals, callDigest } from '../../../src/features/runs/approvals.ts';
import { Approval, Run } from '../../../src/features/runs/index.ts';
import { allowedTools, needsApproval } from '../../../src/features/runs/kind.ts';
import { defineTool, type Tool } from '../../../src/features/tools/tool.ts';
import { ask, Chats, type Lines, type Streamed } from '../chats/support.ts';

const restart = (service: string) => ({ name: 'restart_service', input: { service } });
const lines: Record<string, Lines> = {
  restart: [{ text: 'I restart it.', toolUses: [restart('checkout')] }, { text: 'That was it.' }],
  twice: [{ toolUses: [restart('checkout'), restart('payment'), { name: 'look', input: {} }] }, { text: 'Both.' }],
};

interface Shown {
  id: string;
  run_id: string;
  conversation_id: string;
  tool: string;
  input: { service: string };
  summary: string;
  digest: string;
  status: string;
  decided_at: string | null;
  used_at: string | null;
}

describe('approvals @never-forgiven', () => {
  let chats: Chats;
  /** A key of somebody who may approve, and of one who may only see. */
  let admin: string;
  let reader: string;
  let program: string;
  let restarted: string[] = [];
  let looked = 0;
  const tools = [
    defineTool({
      name: 'restart_service',
      description: 'Restarts a service.',
      requires: 'satellites:act',
      sideEffect: true,
      approval: () => true,
      input: z.strictObject({ service: z.string() }),
      summarize: ({ service }) => `Restart ${service}`,
      run: async ({ service }) => {
        restarted.push(service);
        return { content: '{"ok": true}', digest: `restarted ${service}` };
      },
    }),
    defineTool({
      name: 'look',
      description: 'Looks.',
      input: z.strictObject({}),
      summarize: () => 'Look',
      run: async () => {
        looked += 1;
        return { content: 'seen', digest: 'seen' };
      },
    }),
  ];
  before(async () => {
    chats = await Chats.start({ lines, tools });
    const scopes = ['chats:read', 'chats:write', 'chats:act', 'satellites:act'];
    admin = await chats.personalKey(...scopes);
    program = await chats.key(...scopes);
    reader = await chats.key('chats:read', 'chats:act');
  });
  after(() => chats?.stop());
  beforeEach(() => {
    restarted = [];
    looked = 0;
  });

  const pendingOf = async (turnId: string, count = 1): Promise<Shown[]> =>
    waitUntil(
      async () => {
        const { body } = await chats.call('GET', '/api/approvals?status=pending', undefined, { key: admin });
        const found = (body as { approvals: Shown[] }).approvals.filter(({ run_id: id }) => id === turnId);
        return found.length === count ? found : undefined;
      },
      { what: 'an approval that is pending', intervalMs: 50 },
    );
  const decide = async ({ id, digest }: Shown, decision: string, { key = admin, seen = digest } = {}) => {
    const { status, body } = await chats.call('POST', `/api/approvals/${id}`, { decision, digest: seen }, { key });
    return { status, body: body as Shown & { code: string } };
  };
  const begin = async (name: string) => {
    const turn = await chats.begin(ask(name), {}, { key: admin, include: 'tools' });
    return { ...turn, pending: (count?: number) => pendingOf(turn.turnId, count) };
  };
  const statusOf = async (turnId: string): Promise<string> =>
    (await chats.harness.database.orm.em.fork().findOneOrFail(Run, { id: turnId }, anyTeam)).status;
  const read = async (id: string): Promise<Shown> =>
    (await chats.call('GET', `/api/approvals/${id}`, undefined, { key: admin })).body;
  const resultOf = ({ chunks }: Streamed) => chunks.find(({ type }) => type.startsWith('tool-output'));

  it('make a call wait for a person, and then be made once', async () => {
    const { turnId, chatId, whole, pending } = await begin('restart');
    const [approval] = await pending();
    assert.deepEqual(
      [approval!.tool, approval!.input, approval!.summary, approval!.conversation_id],
      ['restart_service', { service: 'checkout' }, 'Restart checkout', chatId],
    );
    assert.equal(approval!.digest, callDigest('restart_service', { service: 'checkout' }));
    assert.equal(await statusOf(turnId), 'awaiting_approval');
    const detail = await chats.detail(chatId);
    assert.deepEqual([detail.messages.at(-1)!.turn!.status, detail.run!.phase], ['processing', 'awaiting_approval']);
    assert.deepEqual(restarted, []);

    const decided = await decide(approval!, 'approve');
    assert.equal(decided.status, 200);
    const streamed = await whole;
    const shown = streamed.chunks.filter(({ type }) => type === 'data-approval');
    assert.deepEqual(
      shown.map((chunk) => 'data' in chunk && [chunk.id, (chunk.data as { status: string }).status]),
      ['pending', 'approved'].map((status) => [`approval-${approval!.id}`, status]),
    );
    assert.deepEqual(restarted, ['checkout']);
    assert.equal(resultOf(streamed)?.type, 'tool-output-available');
    assert.equal(await statusOf(turnId), 'completed');
    const used = await read(approval!.id);
    assert.equal(used.status, 'used');
    assert.ok(used.used_at !== null && used.decided_at !== null);
  });

  it('are not asked for by a program: the tool is not offered', async () => {
    const { body } = await chats.call('POST', '/api/v1/chat', ask('restart'), { key: program });
    assert.deepEqual(restarted, []);
    const { approvals } = (await chats.call('GET', '/api/approvals?status=pending', undefined, { key: admin })).body;
    assert.deepEqual(approvals, [], JSON.stringify(body));
  });

  it('end with a decline, which the model reads instead of a result', async () => {
    const { turnId, whole, pending } = await begin('restart');
    const [approval] = await pending();
    assert.equal((await decide(approval!, 'decline')).status, 200);
    const result = resultOf(await whole);
    assert.ok(result?.type === 'tool-output-error' && /declined this call: it was not made/.test(result.errorText));
    assert.deepEqual(restarted, []);
    assert.equal(await statusOf(turnId), 'completed');
    assert.equal((await read(approval!.id)).status, 'declined');
    assert.equal((await decide(approval!, 'decline')).status, 200, 'said twice');
    const otherwise = await decide(approval!, 'approve');
    assert.deepEqual([otherwise.status, otherwise.body.code], [409, 'approval_decided']);
  });

  it('are waited for each on its own, while the other calls of the turn go on', async () => {
    const { turnId, whole, pending } = await begin('twice');
    const both = await pending(2);
    await waitUntil(async () => looked === 1 || undefined, { what: 'the call that needs nobody' });
    const [payment, checkout] = ['payment', 'checkout'].map((name) =>
      both.find(({ input }) => input.service === name)!,
    );
    await decide(payment!, 'approve');
    await waitUntil(async () => restarted.length === 1 || undefined, { what: 'the first restart' });
    assert.equal(await statusOf(turnId), 'awaiting_approval');
    await decide(checkout!, 'approve');
    await whole;
    assert.deepEqual(restarted, ['payment', 'checkout']);
    assert.equal(await statusOf(turnId), 'completed');
  });

  it('take the call that was seen, a scope, and nobody who decided before', async () => {
    const { whole, pending } = await begin('restart');
    const [approval] = await pending();
    const other = await decide(approval!, 'approve', { seen: callDigest('restart_service', { service: 'payment' }) });
    assert.deepEqual([other.status, other.body.code], [409, 'approval_changed']);
    const without = await decide(approval!, 'approve', { key: reader });
    assert.deepEqual([without.status, without.body.code], [403, 'insufficient_scope']);
    const blind = await chats.key('chats:act', 'satellites:act');
    assert.equal((await decide(approval!, 'approve', { key: blind })).status, 403);
    assert.equal((await chats.call('GET', '/api/approvals', undefined, { key: blind })).status, 403);
    assert.equal((await decide(approval!, 'perhaps')).status, 422);
    assert.equal((await read(approval!.id)).status, 'pending');

    const decisions = await Promise.all(
      ['approve', 'decline', 'approve', 'decline'].map((decision) => decide(approval!, decision)),
    );
    const [first, second] = decisions.map(({ status }) => status);
    assert.deepEqual(
      [first, second].toSorted((a, b) => a! - b!),
      [200, 409],
      'one of them wins',
    );
    assert.deepEqual(
      decisions.slice(2).map(({ status }) => status),
      [first, second],
    );
    await whole;
    assert.deepEqual(restarted, first === 200 ? ['checkout'] : []);
  });

  it('end with the run when it is cancelled', async () => {
    const { chatId, turnId, whole, pending } = await begin('restart');
    const [approval] = await pending();
    assert.equal((await chats.call('POST', `/api/chat/${chatId}/cancel`)).status, 200);
    await whole;
    assert.equal(await statusOf(turnId), 'cancelled');
    const late = await decide(approval!, 'approve');
    assert.deepEqual([late.status, late.body.code], [409, 'approval_expired']);
    await sweepApprovals(chats.harness.api.deps.approvals);
    assert.equal((await read(approval!.id)).status, 'expired');
    assert.deepEqual(restarted, []);
  });

  it('are decided while Temporal is away, and the sweeper says so to the run', async () => {
    const { whole, pending } = await begin('restart');
    const [approval] = await pending();
    const { approvals } = chats.harness.api.deps;
    const away = { ...approvals, control: { signal: () => Promise.reject(new Error('away')) } };
    const em = chats.harness.database.orm.em.fork();
    const { teamId } = await em.findOneOrFail(Approval, { id: approval!.id }, anyTeam);
    const actor = { teamId, scopes: ['team:admin'] };
    const decision = { decision: 'approve' as const, digest: approval!.digest };
    await decideApproval(away, forTeam(em, teamId), actor, approval!.id, decision);
    assert.equal((await read(approval!.id)).status, 'approved');
    assert.deepEqual(restarted, []);
    assert.ok((await sweepApprovals(approvals, -1)) >= 1);
    await whole;
    assert.deepEqual(restarted, ['checkout']);
    assert.equal(await sweepApprovals(approvals, -1), 0);
  });

  it('are deleted with their chat', async () => {
    const { chatId, whole, pending } = await begin('restart');
    const [approval] = await pending();
    await decide(approval!, 'decline');
    await whole;
    assert.equal((await chats.call('DELETE', `/api/chat/${chatId}`)).status, 200);
    const count = () => chats.harness.database.orm.em.fork().count(Approval, { id: approval!.id }, anyTeam);
    await waitUntil(async () => (await count()) === 0 || undefined, { what: 'its deletion' });
    assert.equal((await chats.call('GET', `/api/approvals/${approval!.id}`)).status, 404);
  });
});

describe('approvals nobody decides on @never-forgiven', () => {
  it('expire: the call is not made, and the run goes on', async () => {
    const made: string[] = [];
    const tool = defineTool({
      name: 'restart_service',
      description: 'Restarts a service.',
      sideEffect: true,
      approval: () => true,
      input: z.strictObject({ service: z.string() }),
      summarize: () => 'Restart',
      run: async ({ service }) => {
        made.push(service);
        return { content: 'ok', digest: 'ok' };
      },
    });
    const chats = await Chats.start({ lines, tools: [tool], budget: { approvalSeconds: 1, maxWallSeconds: 600 } });
    try {
      const { chat_id: id } = await chats.say(ask('restart'));
      const turn = await chats.ended(id);
      assert.equal(turn.status, 'completed');
      assert.deepEqual(made, []);
      const { body } = await chats.call('GET', '/api/approvals?status=expired');
      const [approval] = (body as { approvals: Shown[] }).approvals;
      const { status, body: late } = await chats.call('POST', `/api/approvals/${approval!.id}`, {
        decision: 'approve',
        digest: approval!.digest,
      });
      assert.deepEqual([status, (late as { code: string }).code], [409, 'approval_expired']);
    } finally {
      await chats.stop();
    }
  });
});

describe('an approval, when its call is about to be made', () => {
  const now = new Date('2026-01-01T12:00:00Z');
  const later = new Date(now.getTime() + 1);
  const allowed = (status: Approval['status'], expiresAt = later, digest = 'seen') =>
    outcomeOf({ status, digest: 'seen', expiresAt }, digest, now);

  it('allows it once it is approved, until it expires', () => {
    assert.equal(allowed('approved'), 'used');
    assert.equal(allowed('approved', now), 'expired');
    assert.equal(allowed('declined'), 'declined');
    assert.equal(allowed('expired'), 'expired');
    assert.equal(allowed('pending'), 'expired', 'the run waits no longer');
  });

  it('allows another attempt at the same call, however late', () => {
    assert.equal(allowed('used', now), 'used');
  });

  it('allows no other call, and none that nobody was asked about', () => {
    assert.equal(allowed('approved', later, 'other'), 'changed');
    assert.equal(allowed('used', later, 'other'), 'changed');
    assert.equal(outcomeOf(null, 'seen', now), 'changed');
  });

  it('has a digest that depends on tool and input, not on the order of keys', () => {
    assert.equal(callDigest('a', { x: 1, y: [2] }), callDigest('a', { y: [2], x: 1 }));
    assert.notEqual(callDigest('a', { x: 1 }), callDigest('b', { x: 1 }));
    assert.notEqual(callDigest('a', { x: 1 }), callDigest('a', { x: 2 }));
  });
});

describe('tools that need approval', () => {
  const act = { sideEffect: true, requires: 'satellites:act', input: z.strictObject({ n: z.number() }) };
  const tool = (name: string, more: Partial<Tool<{ n: number }>>): Tool => ({
    name,
    description: '',
    summarize: () => '',
    run: () => Promise.reject(new Error('not called')),
    ...act,
    ...more,
  });
  const reads = tool('reads', { sideEffect: false, requires: 'satellites:query' });
  const plain = tool('plain', {});
  const asks = tool('asks', { approval: ({ n }) => n > 0 });
  const offered = (scopes: string[], sideEffects: boolean, mayAsk?: boolean) =>
    allowedTools([reads, plain, asks], { scopes, sideEffects }, mayAsk).map(({ name }) => name);

  it('are offered where side effects are not, to those who may ask, with the scope', () => {
    assert.deepEqual(offered(['team:admin'], true), ['reads', 'plain', 'asks']);
    assert.deepEqual(offered(['team:admin'], false, true), ['reads', 'asks']);
    assert.deepEqual(offered(['team:admin'], false), ['reads']);
    assert.deepEqual(offered(['satellites:query'], false, true), ['reads']);
  });

  it('wait for a person only with an effect, and where that is not allowed anyway', () => {
    const off = { sideEffects: false };
    assert.equal(needsApproval(asks, off, { n: 1 }), true);
    assert.equal(needsApproval(asks, off, { n: 0 }), false);
    assert.equal(needsApproval(asks, off, { n: 'x' }), false, 'refused anyway');
    assert.equal(needsApproval(asks, { sideEffects: true }, { n: 1 }), false);
    assert.equal(needsApproval(reads, off, { n: 1 }), false);
    assert.equal(needsApproval(plain, off, { n: 1 }), true, 'never without either');
    assert.equal(needsApproval(undefined, off, {}), false);
  });
});
