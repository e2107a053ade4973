/** How much of graphs that are not complete is kept. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'mocha';
import { Collecting } from '../../../../src/features/satellites/graph/collecting.ts';
import { MAX_EDGES, MAX_EDGES_PER_MESSAGE, type GraphMessage } from '@casebook/wire';

const part = (epoch: string, seq: number, last = false): GraphMessage => ({
  type: 'graph',
  epoch,
  seq,
  kind: 'snapshot',
  last,
  edges: Array.from({ length: MAX_EDGES_PER_MESSAGE }, (_, index) => ({
    caller: `caller-${seq}-${index}`,
    callee: 'callee',
    sources: ['spans'],
    seenAgoMs: 0,
    stale: false,
  })),
  gone: [],
});
const parts = MAX_EDGES / MAX_EDGES_PER_MESSAGE;

describe('graphs that are not complete', () => {
  it('of one team take no more room than one graph of the largest size, and leave room to others', () => {
    const collecting = new Collecting();
    const epoch = randomUUID();
    for (let seq = 0; seq < parts; seq++) assert.equal(collecting.add('a', 'team', part(epoch, seq)), 'more');
    assert.equal(collecting.add('b', 'team', part(randomUUID(), 0)), undefined);
    assert.equal(collecting.add('c', 'other', part(randomUUID(), 0)), 'more');
    const whole = collecting.add('d', 'team', part(randomUUID(), 0, true));
    assert.ok(whole && whole !== 'more');
    assert.equal(whole.edges.size, MAX_EDGES_PER_MESSAGE);
  });

  it('give their room back when they are complete, forgotten or begun anew', () => {
    const collecting = new Collecting();
    const fill = (connection: string): void => {
      const epoch = randomUUID();
      for (let seq = 0; seq < parts; seq++) assert.equal(collecting.add(connection, 'team', part(epoch, seq)), 'more');
    };
    fill('a');
    fill('a');
    collecting.forget('a');
    fill('b');
  });
});
