import assert from 'node:assert/strict';
import fc from 'fast-check';
import { namesFor } from '../../../../src/features/tools/systems/naming.ts';

const names = (items: string[][], ...reserved: string[]) => namesFor(items, new Set(reserved));
const NAME = /^[a-z][a-z0-9_]{0,63}$/u;

describe('names of satellites’ tools', () => {
  it('are satellite, connector and operation in snake case', () => {
    assert.deepEqual(names([['shop-eu', 'main-db', 'query']]), ['shop_eu_main_db_query']);
    assert.deepEqual(names([['shop', 'files', 'readTextFile']]), ['shop_files_read_text_file']);
    assert.deepEqual(names([['1st', 'db', 'query']]), ['s_1st_db_query']);
    assert.deepEqual(names([['shop', 'x', 'Größe/ändern!!']]), ['shop_x_gro_e_a_ndern']);
  });

  it('end in a hash where they are cut, shared or taken, whatever the order', () => {
    const items = [
      ['shop', 'a', 'b_c'],
      ['shop', 'a_b', 'c'],
      ['shop', 'db', 'query'],
      ['shop', 'x', 'y'.repeat(100)],
    ];
    const made = names(items, 'shop_db_query');
    assert.equal(new Set(made).size, 4);
    for (const name of made) assert.match(name, /_[0-9a-f]{8}$/);
    assert.equal(made[3]!.length, 64);
    assert.deepEqual(names(items.toReversed(), 'shop_db_query'), made.toReversed());
    assert.notEqual(names([['shop', 'x', `${'y'.repeat(100)}z`]])[0], made[3]);
  });

  it('are always names, and different ones for different things', () => {
    const part = fc.oneof(
      fc.string({ minLength: 1, maxLength: 80, unit: 'binary' }),
      fc.constantFrom('a', 'A', 'a-b', '_'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(part, part, part), { selector: JSON.stringify, maxLength: 20 }), (items) => {
        const made = namesFor(items, new Set());
        for (const name of made) assert.match(name, NAME);
        assert.equal(new Set(made).size, items.length);
      }),
    );
  });
});
