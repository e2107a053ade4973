import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TYPES_FILE, webTypes } from '../../../scripts/web-types.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('the types of the web app', () => {
  it('are those of the endpoints as they are now', async () => {
    const committed = readFileSync(join(ROOT, TYPES_FILE), 'utf8').split('\n');
    const wanted = (await webTypes()).split('\n');
    const line = wanted.findIndex((text, index) => text !== committed[index]);
    assert.ok(
      line === -1 && wanted.length === committed.length,
      `${TYPES_FILE} is not what the endpoints give: run npm run types -w web. Line ${line + 1}: ${wanted[line]}`,
    );
    assert.ok(wanted.length > 1_000);
  });
});
