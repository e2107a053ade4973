import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { workflowBundle } from '../support/own-programs.ts';

describe('architecture: the workflow bundle', () => {
  it('holds no web framework, ORM, model client or schema library', async () => {
    const code = readFileSync(await workflowBundle(), 'utf8');
    assert.match(code, /workflows\/investigations\.ts/, 'the bundle names the modules it holds');
    const forbidden = ['koa', '@koa/', '@mikro-orm/', '@anthropic-ai/', 'zod', 'pg', 'ioredis', 'pino'];
    const held = forbidden.filter((name) => code.includes(`node_modules/${name}`));
    assert.deepEqual(held, []);
    const ours = [
      ...new Set([...code.matchAll(/\.\/((?:src|activities|temporal)\/[\w/.-]+\.ts)/g)].map(([, file]) => file)),
    ];
    assert.deepEqual(
      ours.filter((file) => !/contract\.ts$|search-attributes\.ts$/.test(file ?? '')),
      [],
    );
  });
});
