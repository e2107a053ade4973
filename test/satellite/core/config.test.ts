import assert from 'node:assert/strict';
import { z } from 'zod';
import { parseConfig } from '../../../satellite/config/index.ts';
import { connectorKinds } from '@casebook/connectors';
import { readFileSync } from 'node:fs';

const base = 'casebook: {url: https://casebook.example.com, token: hush}\nname: here\n';
const problemsOf = (text: string, env: Record<string, string> = {}): string[] => {
  const result = parseConfig(text, env, connectorKinds);
  return 'problems' in result ? result.problems.map(({ path, line, message }) => `${line} ${path}: ${message}`) : [];
};
const configOf = (text: string, env: Record<string, string> = {}) => {
  const result = parseConfig(text, env, connectorKinds);
  assert.ok('config' in result, 'problems' in result ? JSON.stringify(result.problems) : '');
  return result.config;
};

describe('satellite: configuration', () => {
  it('needs little, and has the defaults it says', () => {
    const { limits, connectors, graph, mcp_servers: servers, log_level: level } = configOf(base);
    assert.deepEqual(limits, {
      query_timeout_seconds: 30,
      max_answer_bytes: 8 * 1_048_576,
      concurrency: 8,
      per_connector: 4,
    });
    assert.deepEqual([connectors, servers, level, graph.enabled], [[], [], 'info', true]);
  });

  it('lists everything that is wrong at once, with path and line', () => {
    const found = problemsOf(`casebook:
  url: ftp://x
  colour: red
name: Not A Slug
limits: {concurrency: 0}
connectors:
  - {id: a, kind: recorded, directory: /x, shape: round}
  - {id: a, kind: recorded, directory: /x}
  - {id: c, kind: teapot}
  - {id: d, kind: recorded}
`);
    assert.deepEqual(
      found.map((line) => line.split(': ')[0]),
      [
        '2 casebook.url',
        '2 casebook.token',
        '3 casebook.colour',
        '4 name',
        '5 limits.concurrency',
        '7 connectors.0.shape',
        '8 connectors.1.id',
        '9 connectors.2.kind',
        '10 connectors.3.directory',
      ],
    );
    assert.match(
      found.join('\n'),
      /no connector of kind "teapot"; the kinds are: alertmanager, azuremonitor, clickhouse/,
    );
  });

  it('says where the YAML itself is wrong, without quoting it', () => {
    const found = problemsOf('casebook:\n  token: "hush\nname: x\n');
    assert.ok(found.length > 0);
    assert.doesNotMatch(found.join(), /hush/);
    assert.deepEqual(problemsOf('name: a\nname: b\n'), ['2 : Map keys must be unique']);
    assert.deepEqual(problemsOf('- a'), ['1 : must be a mapping']);
  });

  it('needs a token from somewhere', () => {
    const found = problemsOf('casebook: {url: https://x}\nname: a\n');
    assert.match(found.join(), /^1 casebook\.token: there is no token/);
    assert.deepEqual(problemsOf('casebook: {url: https://x, token_file: /t}\nname: a\n'), []);
    assert.equal(
      configOf('name: a', { CASEBOOK_URL: 'https://y', CASEBOOK_SATELLITE_TOKEN: '${X}' }).casebook.token,
      '${X}',
    );
  });

  it('puts the environment into values, as text, number or yes and no, and never as YAML', () => {
    const text = `casebook: {url: "\${URL}", token: "a\${TOKEN}b"}
name: \${NAME:-here}
labels: {literal: "$\${X}", empty: "\${EMPTY-x}", both: "\${A}-\${B:-}"}
health_port: \${PORT}
redaction: {emails: "\${EMAILS}"}
limits: {concurrency: "\${MANY:-3}", max_answer_bytes: "\${SIZE:-1MiB}"}
`;
    const env = { URL: 'https://x', TOKEN: '1: {', A: '12', PORT: '8080', EMAILS: 'true', NAME: '' };
    const { casebook, name, labels, health_port: port, limits, redaction } = configOf(text, env);
    assert.deepEqual([casebook.token, name, port, redaction.emails], ['a1: {b', 'here', 8080, true]);
    assert.deepEqual(labels, { literal: '${X}', empty: '${EMPTY-x}', both: '12-' });
    assert.deepEqual([limits.concurrency, limits.max_answer_bytes], [3, 1_048_576]);
  });

  it('says which variable is not set, where, and nothing else about that place', () => {
    assert.deepEqual(problemsOf('casebook: {url: "${URL}", token: t}\nname: a\n'), [
      '1 casebook.url: the environment variable URL is not set',
    ]);
  });

  it('never repeats a secret', () => {
    const secret = 'hunter2-hunter2';
    const found = problemsOf(
      'casebook: {url: "${S}", token: "${S}"}\nname: "${S}!"\nlog_level: "${S}"\nhealth_port: "${S}"\n',
      { S: secret },
    );
    assert.equal(found.length, 4);
    assert.doesNotMatch(found.join(), new RegExp(secret));
  });

  it('takes no secret that a header cannot carry, for an HTTP client would repeat it in its error', () => {
    const places = `
mcp_servers: [{name: a, transport: http, url: "http://x", bearer: "\${S}"}, {name: b, transport: http, url: "http://u:hunter2@x"}]
connectors:
  - {id: a, kind: prometheus, url: "http://x", bearer_token: "\${S}"}
  - {id: b, kind: loki, url: "http://x", org_id: "\${S}"}
  - {id: c, kind: http, base_url: "http://x", allow: [/a], bearer_token: "\${S}"}
  - {id: d, kind: elasticsearch, url: "http://x", api_key: "\${S}"}
  - {id: e, kind: kubernetes, server: "http://x", token: "\${S}"}
`;
    const text = `name: a\ncasebook: {url: "http://x", token: "\${S}"}\n${places}`;
    const found = parseConfig(text, { S: 'hunter2\nhunter2' }, connectorKinds);
    assert.ok('problems' in found);
    const paths = ['bearer_token', 'org_id', 'bearer_token', 'api_key', 'token'].map(
      (key, i) => `connectors.${i}.${key}`,
    );
    assert.deepEqual(found.problems.map(({ path }) => path).sort(), [
      'casebook.token',
      ...paths,
      'mcp_servers.0.bearer',
      'mcp_servers.1.url',
    ]);
    assert.doesNotMatch(JSON.stringify(found), /hunter2/);
    const ended = parseConfig(text.replace(/, .name: b.*?\}/, ''), { S: 'hunter2\n' }, connectorKinds);
    assert.ok('config' in ended, 'a line end after a secret is none of it');
  });

  it('keeps what a kind makes of its own settings', () => {
    const kinds = {
      odd: {
        kind: 'http' as const,
        config: z.strictObject({ port: z.number() }).transform(({ port }) => port + 1),
        create: (config: unknown) => config as never,
      },
    };
    const result = parseConfig(
      `${base}connectors: [{id: a, kind: odd, port: "\${P}", timeout_seconds: 5}]`,
      { P: '7' },
      kinds,
    );
    assert.ok('config' in result);
    const [connector] = result.config.connectors;
    assert.deepEqual([connector?.create({} as never), connector?.timeoutSeconds, connector?.title], [8, 5, 'a']);
  });

  it('the example is right, and so is the one of the Deployment', () => {
    const example = readFileSync(new URL('../../../satellite/satellite.example.yaml', import.meta.url), 'utf8');
    assert.equal(configOf(example, { CASEBOOK_SATELLITE_TOKEN: 't' }).connectors.length, 1);
    const whole = example.replaceAll(/^ {2}# ( *)(?=-|  \w|[\w]+:)/gm, '  $1');
    const ids = configOf(whole, { CASEBOOK_SATELLITE_TOKEN: 't', ORDERS_TOKEN: 'o' }).connectors.map(({ id }) => id);
    assert.deepEqual(ids, ['prometheus', 'loki', 'orders', 'recordings']);
  });
});
