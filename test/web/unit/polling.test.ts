import assert from 'node:assert/strict';

describe('web: what is fetched again', () => {
  // The API of the page is that of its origin.
  before(() => {
    Object.assign(globalThis, { location: { origin: 'https://casebook.example' } });
  });
  after(() => {
    Reflect.deleteProperty(globalThis, 'location');
  });

  it('is what may be different the next time, less often after a failure', async () => {
    const { ApiError } = await import('../../../web/src/api/client.ts');
    const { pollMs, LIVE_MS, QUIET_MS } = await import('../../../web/src/api/polling.ts');
    const failed = (status: number) => pollMs(new ApiError(status, 'any', 'It failed.'), true);
    assert.equal(pollMs(null, true), LIVE_MS);
    assert.equal(pollMs(null, false), QUIET_MS);
    for (const status of [0, 429, 500, 502, 503, 504]) assert.equal(failed(status), QUIET_MS, `${status}`);
    for (const status of [401, 403, 404, 422]) assert.equal(failed(status), false, `${status}`);
    assert.equal(pollMs(new TypeError('anything else'), false), QUIET_MS);
  });
});
