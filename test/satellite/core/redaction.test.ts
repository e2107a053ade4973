import assert from 'node:assert/strict';
import { createRedactor, redactionConfig } from '../../../satellite/redaction/index.ts';
import { parseConfig } from '../../../satellite/config/index.ts';

const usual = createRedactor(redactionConfig.parse({}));
const JWT =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

describe('satellite: redaction', () => {
  for (const [what, text, expected] of [
    ['an AWS key', 'using AKIAIOSFODNN7EXAMPLE now', 'using [redacted] now'],
    ['an AWS secret', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', 'aws_secret_access_key = [redacted]'],
    ['a JWT', `cookie=${JWT}; path=/`, 'cookie=[redacted]; path=/'],
    ['a bearer token', 'Authorization: Bearer abc123def456', 'Authorization: [redacted]'],
    ['a bearer token in a sentence', 'got bearer abc123def456 from', 'got bearer [redacted] from'],
    ['a password in a URL', 'postgres://app:hunter2@db:5432/x', 'postgres://app:[redacted]@db:5432/x'],
    ['a JWT in a pair', `access_token=${JWT}, next`, 'access_token=[redacted], next'],
    ['a pair', 'user=bob password=hunter2, host=db', 'user=bob password=[redacted], host=db'],
    ['a quoted pair', `DB_PASSWORD="hunter2 and more" next`, 'DB_PASSWORD="[redacted]" next'],
    ['JSON in text', '{"user":"bob","password":"hun\\"ter2","x":1}', '{"user":"bob","password":"[redacted]","x":1}'],
    ['escaped JSON in text', '{\\"password\\":\\"hunter2\\",\\"x\\":1}', '{\\"password\\":\\"[redacted]\\",\\"x\\":1}'],
    ['YAML', 'clientSecret: hunter2\nother: y', 'clientSecret: [redacted]\nother: y'],
    ['a query string', '/cb?access_token=hunter2&state=1', '/cb?access_token=[redacted]&state=1'],
    ['a card number', 'card 4111 1111 1111 1111 declined', 'card [redacted] declined'],
    ['a private key', 'a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb', 'a\n[redacted]\nb'],
    ['a private key that is cut off', 'a -----BEGIN PRIVATE KEY-----\nMII', 'a [redacted]'],
    ['a password with an @', 'postgres://app:p@ss:w0rd@db/x', 'postgres://app:[redacted]@db/x'],
    ['a token header', 'X-Vault-Token: hvs1234.abc', 'X-Vault-Token: [redacted]'],
    ['a token member', '{"token":"abcdef12345","x":1}', '{"token":"[redacted]","x":1}'],
    ['cookies', 'GET /\nCookie: session=abcdef; a=b\nHost: x', 'GET /\nCookie: [redacted]\nHost: x'],
    ['a cookie member', '{"set-cookie":"sid=abc; Path=/","x":1}', '{"set-cookie":"[redacted]","x":1}'],
    ['a Stripe key', `key sk_live_${'a1'.repeat(12)}`, 'key [redacted]'],
    ['a token of Casebook', 'cbs_BKpgs2bp9oX6fcwkpwehxM2gaGuJdkTJmswL0MOaHKE', '[redacted]'],
    ['a GitHub token', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[redacted]'],
  ] as const)
    it(`takes out ${what}`, () => assert.equal(usual.text(text), expected));

  for (const text of [
    'order 4111111111111112 has no right check digit',
    '1773154800123456789',
    '2026-03-10T16:44:02.310Z checkout answered 500 in 1773154800123 ns',
    'bearer authentication is required',
    'password reset requested; the secret is out',
    'trace 4bf92f3577b34da6a3ce929d0e0e4736',
    'rate(http_requests_total{service="checkout"}[5m])',
    'someone@example.com',
    '{"password":null,"secret": true}',
    'unexpected token: } and {"next_page_token": "abcdef12345"}',
    'prompt tokens: 12345678',
    'http://db:5432/path@x',
  ])
    it(`leaves ${text.slice(0, 40)}`, () => assert.equal(usual.text(text), text));

  it('redacts every string and every name of a value, and members that go by a secret name', () => {
    const value = {
      hits: [{ password: 'x', dbPassword: 'y', note: 'password=z', n: 1.5, ok: true, none: null }],
      env: [
        { name: 'DB_PASSWORD', value: 'hunter2' },
        { name: 'PORT', value: '80' },
      ],
      AKIAIOSFODNN7EXAMPLE: 1,
      AKIAIOSFODNN7EXAMPLF: 2,
      at: new Date(0),
      big: 12n,
      gone: undefined,
      secret: { secretName: 'db' },
      __proto__: null,
    };
    assert.deepEqual(usual.value(value), {
      hits: [
        { password: '[redacted]', dbPassword: '[redacted]', note: 'password=[redacted]', n: 1.5, ok: true, none: null },
      ],
      env: [
        { name: 'DB_PASSWORD', value: '[redacted]' },
        { name: 'PORT', value: '80' },
      ],
      '[redacted]': 1,
      '[redacted] (2)': 2,
      at: '1970-01-01T00:00:00.000Z',
      big: '12',
      secret: { secretName: 'db' },
    });
    const polluting: unknown = JSON.parse('{"__proto__": {"a": "password=x"}}');
    assert.equal(JSON.stringify(usual.value(polluting)), '{"__proto__":{"a":"password=[redacted]"}}');
  });

  it('redacts what goes by a secret name as a number, in a list, as a value of OpenTelemetry, in a column', () => {
    const value = {
      headers: { authorization: ['opaque', 'other'], accept: ['*/*'] },
      pwd: 1234,
      attributes: [{ key: 'db.password', value: { stringValue: 'hunter2', of: [{ a: 'hunter2' }] } }],
      mapping: { password: { type: 'keyword' } },
      columns: [{ name: 'id' }, { name: 'api_key' }, { name: 'note' }],
      rows: [
        [1, 'hunter2', 'pwd=x'],
        [2, null, { a: 'b' }],
        [3, { hash: 'hunter2' }, ''],
      ],
    };
    assert.deepEqual(usual.value(value), {
      headers: { authorization: ['[redacted]', '[redacted]'], accept: ['*/*'] },
      pwd: '[redacted]',
      attributes: [{ key: 'db.password', value: { stringValue: '[redacted]', of: [{ a: '[redacted]' }] } }],
      mapping: { password: { type: 'keyword' } },
      columns: [{ name: 'id' }, { name: 'api_key' }, { name: 'note' }],
      rows: [
        [1, '[redacted]', 'pwd=[redacted]'],
        [2, null, { a: 'b' }],
        [3, { hash: '[redacted]' }, ''],
      ],
    });
    const off = createRedactor(redactionConfig.parse({ defaults: false }));
    assert.deepEqual(off.value(value), value);
  });

  it('applies configured patterns, after the defaults or alone, and emails where asked', () => {
    const patterns = [{ name: 'customer', pattern: String.raw`\bc-(\d{2})\d+`, flags: 'i', replacement: 'c-$1…' }];
    const both = createRedactor(redactionConfig.parse({ patterns, emails: true }));
    assert.equal(both.text('C-123456 a@example.com pwd=x'), 'c-12… [redacted] pwd=[redacted]');
    const alone = createRedactor(redactionConfig.parse({ patterns, defaults: false }));
    assert.equal(alone.text('C-123456 a@example.com pwd=x'), 'c-12… a@example.com pwd=x');
    assert.deepEqual(alone.value({ password: 'C-123' }), { password: 'c-12…' });
  });

  it('a bad pattern is an error of the configuration that does not repeat it', () => {
    const result = parseConfig(
      'casebook: {url: http://localhost, token: t}\nname: a\nredaction:\n  patterns:\n    - {name: a, pattern: "hush("}\n    - {name: b, pattern: "x*"}\n    - {name: c, pattern: x, flags: y}\n',
      {},
      {},
    );
    assert.ok('problems' in result);
    assert.deepEqual(
      result.problems.map(({ path, line }) => [path, line]),
      [
        ['redaction.patterns.0.pattern', 5],
        ['redaction.patterns.1.pattern', 6],
        ['redaction.patterns.2.flags', 7],
      ],
    );
    assert.doesNotMatch(JSON.stringify(result.problems), /hush/);
  });

  it('takes linear time on adversarial texts', () => {
    // A rule in quadratic time would need hours for these, not the second or so that mocha reports.
    for (const unit of [
      '-----BEGIN PRIVATE KEY-----',
      'eyJ-',
      'eyJaaaaaa.',
      'password="',
      'password=\\"',
      "password='\\'",
      'bearer ',
      'a://b:',
      '4 1',
      'secret   ',
      'sk-',
      'a@a.',
      'token=',
      'token:aaaaaaaa ',
      'cookie: a',
      'cookie:',
      'a://:@',
    ])
      usual.text(unit.repeat(Math.ceil(2_000_000 / unit.length)));
  });
});
