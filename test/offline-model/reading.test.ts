import assert from 'node:assert/strict';
import { assert as check, json, nat, property } from 'fast-check';
import { Citations, members } from '../../packages/offline-model/playbooks/investigation/citations.ts';
import { parsePartialJson } from '../../packages/offline-model/playbooks/investigation/partial-json.ts';
import { lexicalScores, mentions, namesIn, words } from '../../packages/offline-model/playbooks/investigation/words.ts';

describe('offline model: reading', () => {
  it('keeps the whole values of JSON that was cut off', () => {
    assert.deepEqual(parsePartialJson('{"a":1,"b":[{"c":"x,]"},{"c":"y'), { a: 1, b: [{ c: 'x,]' }] });
    assert.deepEqual(parsePartialJson('{"a":[1,2,3'), { a: [1, 2] });
    assert.deepEqual(parsePartialJson(String.raw`{"a":"\"}","b":2,"c`), { a: '"}', b: 2 });
    assert.equal(parsePartialJson('not json'), undefined);
    assert.equal(parsePartialJson(''), undefined);
  });

  it('reads any beginning of any JSON without failing, and the whole of it exactly', () => {
    check(
      property(json(), nat(), (text, length) => {
        assert.deepEqual(parsePartialJson(text), JSON.parse(text));
        parsePartialJson(text.slice(0, length % (text.length + 1)));
      }),
    );
  });

  it('compares words', () => {
    assert.deepEqual(words('The p95 latencies of paymentService (high)'), ['p95', 'latencie', 'payment', 'high']);
    assert.ok(mentions('upstream Cart: timeout', 'cart'));
    assert.ok(!mentions('upstream redis-cart: timeout', 'cart'));
    assert.deepEqual(namesIn('payment is slow, checkout too', ['checkout', 'payment', 'pay']), ['payment', 'checkout']);
    assert.deepEqual(namesIn('the order store is slow', ['order-store', 'order-api']), ['order-store']);
    const [rare = 0, common = 0] = lexicalScores('queue latency', ['queue latency', 'latency', 'latency']);
    assert.ok(rare > 1 && common < 0.5);
  });

  it('takes a clock time for no likeness to a number in an alert', () => {
    const [asked = 0, other = 0] = lexicalScores('Checkout fails since 16:43', ['Checkout fails', 'checkout: 3.43 s']);
    assert.ok(asked > other);
    assert.deepEqual(words('since 16:43, p95 3.43 s'), ['p95', 's']);
  });

  it('cites only what is in the result, once for each', () => {
    const citations = new Citations();
    const call = {
      id: 'a',
      tool: 't',
      input: {},
      turn: 0,
      isError: false,
      evidence: 4,
      body: '{"service":"db","score":1.5}',
    };
    const db = { service: 'db', score: 1.5 };
    assert.equal(citations.cite(call, 'absent', members(db, 'service', 'score')), ' [1]');
    assert.equal(citations.cite(call, members(db, 'score')), ' [1]');
    assert.equal(citations.cite(call, 'absent'), '');
    assert.equal(citations.cite({ ...call, evidence: undefined }, members(db, 'score')), '');
    assert.deepEqual(citations.list, [{ n: 1, evidence: 4, excerpts: ['"service":"db","score":1.5', '"score":1.5'] }]);
  });
});
