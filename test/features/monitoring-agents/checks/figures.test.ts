import assert from 'node:assert/strict';
import {
  duration,
  figure,
  listed,
  near,
  stableName,
} from '../../../../src/features/monitoring-agents/checks/figures.ts';

describe('checks: figures', () => {
  it('rounds sensibly and names the unit', () => {
    const cases: [number, string | undefined, string][] = [
      [1.9123, 's', '1.91 s'],
      [0.2104, 's', '210 ms'],
      [0.00005, 's', '50 µs'],
      [0, 's', '0 s'],
      [0.5404, 'ratio', '54 %'],
      [0.0005, 'ratio', '0.05 %'],
      [99.95, '%', '100 %'],
      [1_610_612_736, 'B', '1.5 GiB'],
      [912, 'connections', '912 connections'],
      [1_234_567.8, undefined, '1230000'],
      [-3, 's', '-3 s'],
    ];
    for (const [value, unit, text] of cases) assert.equal(figure(value, unit), text);
    assert.deepEqual([90, 300, 7_200, 86_400, 3_900].map(duration), ['90 s', '5 min', '2 h', '1 d', '65 min']);
  });

  it('a long name stays one of its own, and every name storable', () => {
    const long = 'x'.repeat(300);
    assert.equal(stableName(`${long}a`).length, 200);
    assert.notEqual(stableName(`${long}a`), stableName(`${long}b`));
    assert.equal(stableName(`${long}a`), stableName(`${long}a`));
    assert.equal(stableName(' a\n\tb\0\ud800 '), 'a b\ufffd\ufffd');
  });

  it('lists a few names, those that are near first', () => {
    assert.equal(listed(['a', 'b', 'c'], 2), 'a, b and 1 more');
    assert.deepEqual(near('chekout', ['web', 'checkout', 'mail']), ['checkout']);
    assert.deepEqual(near('zzz', ['web', 'mail'], 1), ['web']);
  });
});
