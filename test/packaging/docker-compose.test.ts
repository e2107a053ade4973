import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { default as formats } from 'ajv-formats';
import { Client } from 'pg';
import { parse } from 'yaml';
import { workspaceRoom } from '../../src/features/workspace/index.ts';
import { configurations, loadConfig } from '../../src/rooms.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { hasCommand, root, textOf } from './repository.ts';

interface Service {
  image?: string;
  container_name?: string;
  ports?: string[];
  volumes?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  restart?: string;
  networks?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  deploy?: { replicas?: number };
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, { internal?: boolean } | null>;
  configs: Record<string, { content: string }>;
}

const text = textOf('docker-compose.yml');
const compose: Compose = parse(text, { merge: true });
const services = Object.entries(compose.services);

/** What an operator must set before the first start. */
const required = {
  POSTGRES_PASSWORD: 'sup3r',
  CASEBOOK_OWNER_PASSWORD: 'own3r',
  CASEBOOK_DATABASE_PASSWORD: 'p4ssw0rd',
  TEMPORAL_DATABASE_PASSWORD: 't3mporal',
  REDIS_PASSWORD: 'r3dis',
  CASEBOOK_SECRET_KEY: 'ab'.repeat(32),
  CASEBOOK_BOOTSTRAP_API_KEY: 'cb_0123456789abcdef',
};

/** Compose's `${NAME:-default}` and `${NAME:?message}`, for one value. */
function interpolate(value: string, variables: Record<string, string>): string {
  return value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, rest: string) => {
    const given = variables[name];
    if (given) return given;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest ?? '';
  });
}

const environmentOf = (service: string, variables: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) => [
      name,
      interpolate(value, variables),
    ]),
  );

describe('docker-compose.yml', () => {
  describe('against the schema of the Compose Specification', () => {
    let validate: ValidateFunction;
    before(() => {
      const { $schema, ...schema } = JSON.parse(textOf('test/support/compose-spec.json'));
      assert.match($schema, /draft-07/);
      // The schema uses keywords of its own, which a strict reader would refuse.
      const ajv = new Ajv({ strict: false, allErrors: true });
      formats.default(ajv);
      validate = ajv.compile(schema);
    });

    it('is valid', () => {
      assert.ok(validate(parse(text, { merge: true })), JSON.stringify(validate.errors, null, 2));
    });

    it('would not be with a misspelt key or a wrong type', () => {
      for (const broken of ['    depend_on: {}', '    init: 5', '    ports: 3000']) {
        const changed = text.replace('    stop_grace_period: 20s', `${broken}\n`);
        assert.notEqual(changed, text);
        assert.equal(validate(parse(changed, { merge: true, uniqueKeys: false })), false, broken);
      }
    });
  });

  it('has the API, workers, PostgreSQL, Redis, and Temporal with its UI, at fixed versions', () => {
    for (const name of ['api', 'worker', 'postgres', 'redis', 'temporal', 'temporal-ui'])
      assert.ok(compose.services[name], name);
    for (const [name, { image }] of services) {
      assert.ok(image, `${name} has an image`);
      if (!/^casebook(-satellite)?:/.test(image)) assert.match(image, /:\d+\.\d+(\.\d+)?$/, name);
    }
  });

  it('lets the workers be any number', () => {
    const worker = compose.services['worker']!;
    assert.equal(worker.container_name, undefined);
    assert.equal(worker.ports, undefined);
    // Each of them mounts the same volume; a folder of one machine would not do.
    const volumes = Object.keys(compose.volumes);
    for (const volume of worker.volumes ?? []) assert.ok(volumes.includes(String(volume.split(':')[0])), volume);
    assert.ok((worker.deploy?.replicas ?? 0) >= 2);
  });

  it('waits for what is healthy or has ended well, and for nothing that does neither', () => {
    for (const [name, { depends_on: dependencies = {} }] of services) {
      for (const [other, { condition }] of Object.entries(dependencies)) {
        const service = compose.services[other];
        assert.ok(service, `${name} depends on ${other}`);
        const once = service.restart?.startsWith('on-failure');
        assert.equal(condition, once ? 'service_completed_successfully' : 'service_healthy', `${name} -> ${other}`);
        if (!once && !service.image?.startsWith('casebook:'))
          assert.ok(service.healthcheck, `${other} has a health check`);
      }
    }
  });

  it('has the workspaces in one volume of API and workers, where they look for them', () => {
    for (const name of ['api', 'worker'])
      assert.deepEqual(compose.services[name]?.volumes, ['workspaces:/var/lib/casebook/workspaces'], name);
    assert.ok('workspaces' in compose.volumes);
    const config = loadConfig({ CASEBOOK_HOME: '/var/lib/casebook' });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it opens nothing yet
    const { workspacesDir } = workspaceRoom.build({ config } as unknown as Parameters<typeof workspaceRoom.build>[0]);
    assert.equal(workspacesDir, '/var/lib/casebook/workspaces');
  });

  it('keeps the state of PostgreSQL and Redis in declared volumes', () => {
    for (const name of ['postgres', 'redis']) {
      const [volume] = compose.services[name]?.volumes ?? [];
      assert.ok(Object.keys(compose.volumes).includes(String(volume).split(':')[0]!), name);
    }
  });

  it('has no secret of its own: the first start fails until each is set', () => {
    for (const name of Object.keys(required)) {
      const others: Record<string, string> = { ...required, [name]: '' };
      assert.throws(
        () => services.map(([service]) => environmentOf(service, others)),
        new RegExp(`^Error: ${name}: set it to`),
      );
    }
    assert.doesNotMatch(text, /(PASSWORD|SECRET_KEY|API_KEY):-[^}]/);
  });

  it('opens nothing without a login to the network', () => {
    for (const [name, { ports = [] }] of services) {
      if (name !== 'api') for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name);
    }
  });

  it('gives API and worker an environment that Casebook can use and knows', () => {
    const known = new Set(configurations.flatMap((part) => Object.keys(part.in.shape)));
    for (const name of ['api', 'worker']) {
      const environment = environmentOf(name, required);
      for (const variable of Object.keys(environment)) assert.ok(known.has(variable), variable);
      const config = loadConfig(environment);
      assert.equal(config.databaseUrl, 'postgres://casebook:p4ssw0rd@postgres:5432/casebook');
      assert.equal(config.redisUrl, 'redis://:r3dis@redis:6379');
      assert.equal(config.temporal.address, 'temporal:7233');
      assert.equal(config.model.apiKey, undefined);
    }
  });

  it('lets workers open what the API seals, and send notifications as the operator set it', () => {
    const mail = { CASEBOOK_SMTP_URL: 'smtp://mail:25', CASEBOOK_MAIL_FROM: 'casebook@example.com' };
    for (const name of ['api', 'worker']) {
      const {
        secretKey,
        mail: sent,
        outboundAllow,
      } = loadConfig(
        environmentOf(name, { ...required, ...mail, CASEBOOK_OUTBOUND_ALLOW: '10.0.0.0/8,hooks.internal' }),
      );
      assert.equal(secretKey, required.CASEBOOK_SECRET_KEY);
      assert.deepEqual(sent, { smtpUrl: 'smtp://mail:25', from: 'casebook@example.com' });
      assert.deepEqual(outboundAllow, ['10.0.0.0/8', 'hooks.internal']);
    }
  });

  it('lets a satellite reach the API only, and a store be reached only by who uses it', () => {
    const on = (network: string): string[] =>
      services
        .filter(([, { networks = ['default'] }]) => networks.includes(network))
        .map(([name]) => name)
        .toSorted();
    assert.deepEqual(on('default'), []);
    assert.deepEqual(on('satellites'), ['api', 'satellite']);
    assert.deepEqual(compose.services['satellite']?.networks, ['satellites']);
    assert.deepEqual(on('database'), ['api', 'migrate', 'postgres', 'temporal', 'temporal-schema', 'worker']);
    assert.deepEqual(on('events'), ['api', 'redis', 'worker']);
    assert.deepEqual(on('workflows'), ['api', 'temporal', 'temporal-namespace', 'temporal-ui', 'worker']);
    for (const name of ['postgres', 'redis', 'temporal'])
      for (const network of compose.services[name]?.networks ?? [])
        assert.equal(compose.networks[network]?.internal, true, `${name} on ${network}`);
  });

  it('gives no container more than it needs', () => {
    for (const [name, service] of services) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      const entrypoint = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];
      assert.deepEqual(service.cap_add, name === 'postgres' || name === 'redis' ? entrypoint : undefined, name);
    }
  });

  it('keeps the passwords of superuser and owner from API, workers, Temporal and satellites', () => {
    for (const name of ['api', 'worker', 'temporal', 'satellite'])
      assert.doesNotMatch(Object.values(environmentOf(name, required)).join(' '), /sup3r|own3r/, name);
  });

  it('requires a password for Redis, and refuses dangerous commands', () => {
    const users = interpolate(compose.configs['redis-users']!.content, required);
    assert.match(users, /^user default on >r3dis ~\* &\* \+@all -@dangerous \+info$/m);
  });

  it('lets the owner migrate, and API and workers read and write rows and nothing else', async () => {
    const home = await mkdtemp(join(tmpdir(), 'casebook-compose-'));
    const postgres = await startPostgres({ home, port: 0 });
    const urlOf = (username: string, password: string, database: string): string =>
      Object.assign(new URL(postgres.adminUrl), { username, password, pathname: `/${database}` }).href;
    const query = async (url: string, ...statements: string[]): Promise<void> => {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        for (const statement of statements) await client.query(statement);
      } finally {
        await client.end();
      }
    };
    try {
      const { username, password } = new URL(postgres.adminUrl);
      const variables: Record<string, string> = required;
      // The embedded server has a superuser and a database of these names.
      const script = compose.configs['postgres-roles']!.content.replaceAll(
        /\$\$(\w+)/g,
        (_, name: string) => variables[name] ?? '',
      ).replaceAll(/\bcasebook\b/g, 'composed');
      const parts = [...script.matchAll(/--dbname=(\w+) <<SQL\n([^]*?)\nSQL\n/g)];
      assert.equal(parts.length, 2);
      for (const [, database = '', sql = ''] of parts)
        await query(urlOf(username, password, database), ...sql.split(';').filter((statement) => statement.trim()));
      const user = urlOf('composed', required.CASEBOOK_DATABASE_PASSWORD, 'composed');
      await migrate(urlOf('casebook_owner', required.CASEBOOK_OWNER_PASSWORD, 'composed'));
      await migrate(user);
      await query(user, 'select * from teams', "delete from teams where name = ''");
      for (const refused of ['drop table teams', 'create table mine (n int)', 'alter table teams add column n int'])
        await assert.rejects(query(user, refused), /must be owner|permission denied/, refused);
      const { TEMPORAL_DATABASE_PASSWORD: temporal, CASEBOOK_DATABASE_PASSWORD: casebook } = required;
      await query(urlOf('temporal', temporal, 'temporal'), 'create table mine (n int)');
      await assert.rejects(query(urlOf('temporal', temporal, 'composed'), 'select 1'), /permission denied/);
      await assert.rejects(query(urlOf('composed', casebook, 'temporal'), 'select 1'), /permission denied/);
    } finally {
      await postgres.stop();
      await rm(home, { recursive: true, force: true });
    }
  });

  if (hasCommand('docker', 'compose', 'version')) {
    it('is accepted by docker compose', () => {
      const output = execFileSync('docker', ['compose', 'config', '--format', 'json'], {
        cwd: root,
        env: { ...env, ...required },
        encoding: 'utf8',
      });
      assert.deepEqual(Object.keys(JSON.parse(output).services).toSorted(), Object.keys(compose.services).toSorted());
    });
  }
});
