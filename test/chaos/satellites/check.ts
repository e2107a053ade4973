import assert from 'node:assert/strict';
import type { Reply } from '../support/satellite-places.ts';

/** The held system answers with five points of one series. */
export function checkAnswered({ status, json }: Reply): void {
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.result.result[0].values.length, 5);
}

/** There is no answer because the satellite is away, and its asker is told so. */
export function checkOffline({ status, json }: Reply, why: RegExp): void {
  assert.equal(status, 503, JSON.stringify(json));
  assert.equal(json.code, 'satellite_offline');
  assert.match(json.detail, why);
}
