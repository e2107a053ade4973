import assert from 'node:assert/strict';
import { presentTest } from '../../../src/features/integrations/presenter.ts';
import { reached } from '../../../src/features/integrations/routes/databases.ts';

describe('a test of a connection', () => {
  it('names the field at fault as requests do', () => {
    const test = { status: 'refused' as const, message: '', latencyMs: 1, warnings: [], resources: [] };
    const fieldOf = (field?: string) => presentTest('sql-db', { ...test, ...(field && { field }) }).field;
    assert.deepEqual([fieldOf('user'), fieldOf('host'), fieldOf()], ['username', 'host', null]);
  });
});

describe('a change of a database connection', () => {
  const current = (settings: object) =>
    ({ settings, secrets: { password: 'old' }, via: 'near' }) as unknown as Parameters<typeof reached>[0];

  it('keeps what it does not name, and takes away what is null', () => {
    const before = current({ host: 'a', port: 1, ca_certificate: 'pem' });
    assert.deepEqual(reached(before, { host: 'b', ca_certificate: null }), {
      settings: { host: 'b', port: 1 },
      secrets: { password: 'old' },
      via: 'near',
    });
    const { secrets, via } = reached(before, { password: 'new', via: null });
    assert.deepEqual([secrets, via], [{ password: 'new' }, null]);
  });

  it('replaces one form of an address by the other', () => {
    const url = 'https://ch:8443';
    assert.deepEqual(reached(current({ url }), { host: 'b', secure: false }).settings, { host: 'b', secure: false });
    assert.deepEqual(reached(current({ host: 'b', port: 1, secure: false }), { url }).settings, { url });
  });
});
