import assert from 'node:assert/strict';
import { bundleWorkflowCode } from '@temporalio/worker';
import { workflowsPath } from '../../temporal/worker.ts';

describe('architecture: the workflow bundle', () => {
  it('holds no web framework, ORM, model client or schema library', async () => {
    const logger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
    const { code } = await bundleWorkflowCode({ workflowsPath, logger });
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
