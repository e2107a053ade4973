import assert from 'node:assert/strict';
import { modelVersion, thinkingOf } from '../../src/platform/anthropic/models.ts';
import { costUsd, priceOf, UNKNOWN_MODEL_PRICE } from '../../src/platform/anthropic/pricing.ts';
import { createModelClient, OFFLINE_MODEL } from '../../src/platform/anthropic/index.ts';
import { OFFLINE_MODEL_NAME } from '@casebook/offline-model';

describe('model prices', () => {
  it('follows family and version', () => {
    const pair = (model: string) => [priceOf(model).input, priceOf(model).output];
    assert.deepEqual(pair('claude-opus-5-5'), [4, 20]);
    assert.deepEqual(pair('claude-opus-4-5-20251101'), [5, 25]);
    assert.deepEqual(pair('claude-opus-4-20250514'), [15, 75]);
    assert.deepEqual(pair('claude-sonnet-4-5-20250929'), [3, 15]);
    assert.deepEqual(pair('claude-sonnet-5-5'), [2, 10]);
    assert.deepEqual(pair('claude-3-7-sonnet-20250219'), [3, 15]);
    assert.deepEqual(pair('claude-haiku-4-5'), [1, 5]);
    assert.deepEqual(pair('claude-fable-5'), [10, 50]);
    assert.deepEqual(pair('us.anthropic.claude-opus-4-6-v1'), [5, 25]);
  });

  it('prices long prompts, unknown models and the offline model', () => {
    assert.equal(priceOf('claude-haiku-5-5', 100_000).input, 0.1);
    assert.equal(priceOf('claude-haiku-5-5', 100_001).input, 0.5);
    assert.deepEqual(priceOf('some-model'), UNKNOWN_MODEL_PRICE);
    const usage = { inputTokens: 1e6, outputTokens: 1e6, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    assert.equal(costUsd(OFFLINE_MODEL, usage), 0);
    assert.equal(costUsd('claude-sonnet-4-6', usage), 18);
  });

  it('reads versions out of names', () => {
    assert.deepEqual(modelVersion('claude-sonnet-4-20250514'), { family: 'sonnet', version: 400 });
    assert.equal(modelVersion('gpt-4'), undefined);
    assert.equal(thinkingOf('claude-3-5-haiku-20241022'), 'none');
  });
});

describe('choice of the model provider', () => {
  it('needs a key, a base URL or the offline model', () => {
    assert.throws(() => createModelClient({}), /No model/);
    const offline = createModelClient({ offlineBaseUrl: 'http://127.0.0.1:1', model: 'claude-opus-5-5' });
    assert.deepEqual([offline.provider, offline.model], ['offline', OFFLINE_MODEL_NAME]);
    assert.equal(createModelClient({ baseUrl: 'http://127.0.0.1:1' }).provider, 'anthropic');
    assert.equal(createModelClient({ apiKey: 'k', model: 'claude-opus-5-5' }).model, 'claude-opus-5-5');
  });
});
