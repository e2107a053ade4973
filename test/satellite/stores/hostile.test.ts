/** Databases that flood, fall silent, hang up or speak something else: an honest error in time, and nothing else breaks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createWebServer, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { clickhouse, postgresql, type Connector } from '@casebook/connectors';
import { freePort } from '../../../src/embedded/free-port.ts';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import { addressOf } from '../../support/address.ts';
import { startNetwork } from '../../support/network.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ask, connectorOf, refused } from './support.ts';

/** In this order: a connector that is connecting waits for its server. */
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** A server that does this with each connection. */
async function listening(
  treat: (socket: Socket) => void,
  options: object = {},
): Promise<{ port: number; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer(options, (socket) => {
    sockets.add(socket.on('error', () => undefined));
    treat(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.unshift({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return { port: addressOf(server).port, server };
}

function closing(connector: Connector): Connector {
  opened.push(connector);
  return connector;
}

describe('a hostile PostgreSQL', () => {
  const place = (port: number) => ({
    host: '127.0.0.1',
    port,
    database: 'd',
    user: 'u',
    password: 'p',
    ssl_mode: 'disable',
  });
  const connect = (port: number, more: object = {}): Connector =>
    closing(
      connectorOf(postgresql, {
        ...place(port),
        allow_powerful: true,
        ...more,
      }),
    );
  const message = (type: string, body: Buffer | string, length = body.length + 4): Buffer => {
    const head = Buffer.alloc(5, type);
    head.writeUInt32BE(length, 1);
    return Buffer.concat([head, Buffer.from(body)]);
  };
  const WELCOME = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]);
  const FLOOD = message('N', Buffer.concat([Buffer.from(`M${'x'.repeat(60_000)}`), Buffer.alloc(2)]));

  /** Sends this for as long as there is somebody. */
  const flood = (socket: Socket, bytes: Buffer): void => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', more);
    more();
  };

  for (const [what, bytes] of Object.entries({
    'speaks HTTP': Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
    'speaks SSH': Buffer.from('SSH-2.0-OpenSSH_9.2p1\r\n'),
    'sends an error without an end': message('E', 'SFATAL\0Mx'),
    'sends a notice that ends in the next message': Buffer.concat([message('N', 'M'), Buffer.alloc(3, 'x')]),
    'sends an empty error': message('E', ''),
    'asks for an unknown password': message('R', '\0\0\0c'),
    'sends part of a number': message('R', '\0'),
    'sends a negative length': message('K', '', 0),
    'announces a message of 4 GB': Buffer.concat([message('S', '', 0xff_ff_ff_ff), Buffer.alloc(1_000)]),
    'sends noise': Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * index * 31 + 7) % 256)),
  }))
    it(`fails when it ${what}, at its greeting or later`, async () => {
      const early = await listening((socket) => socket.once('data', () => socket.write(bytes)));
      await refused(ask(connect(early.port), 'query', { sql: 'select 1' }), 'failed', /No answer from PostgreSQL/);
      const late = await listening((socket) =>
        socket.once('data', () => socket.write(WELCOME, () => socket.once('data', () => socket.write(bytes)))),
      );
      await assert.rejects(ask(connect(late.port), 'query', { sql: 'select 1' }), { name: 'QueryError' });
    });

  it('fails at rows that are none', async () => {
    for (const bytes of [
      message('T', Buffer.from([0x7f, 0xff, 0x61])),
      message('T', ''),
      message('D', Buffer.from([0xff, 0xf0])),
      message('D', Buffer.from([0x7f, 0xff, 0, 0])),
      message('G', Buffer.from([0, 0x7f, 0xff])),
      message('t', Buffer.from([0x7f, 0xff])),
    ]) {
      const { port } = await listening((socket) =>
        socket.once('data', () => socket.write(WELCOME, () => socket.once('data', () => socket.write(bytes)))),
      );
      await refused(ask(connect(port), 'query', { sql: 'select 1' }), 'failed', /does not answer as PostgreSQL does/);
    }
  });

  it('listens to no greeting without an end', async () => {
    const { port } = await listening((socket) => flood(socket, FLOOD));
    await refused(ask(connect(port), 'query', { sql: 'select 1' }), 'failed', /does not answer as PostgreSQL does/);
  });

  it('stops listening to a flood that no cancellation ends', async () => {
    const { port } = await listening((socket) =>
      socket.once('data', () => socket.write(WELCOME, () => socket.once('data', () => flood(socket, FLOOD)))),
    );
    await refused(ask(connect(port), 'query', { sql: 'select 1' }, { maxBytes: 100_000 }), 'too_large', /100000/);
  });

  for (const ssl_mode of ['disable', 'prefer', 'require'])
    it(`waits for a silent one no longer than the caller (${ssl_mode})`, async () => {
      const { port, server } = await listening(() => undefined);
      const gone = new AbortController();
      const asking = ask(connect(port, { ssl_mode }), 'query', { sql: 'select 1' }, { signal: gone.signal });
      asking.catch(() => undefined);
      await once(server, 'connection');
      gone.abort();
      await refused(asking, 'timeout', /stopped/);
    });

  it('does not take silence for a no when it may encrypt', async () => {
    const greetings: string[] = [];
    const { port } = await listening((socket) => {
      const first = greetings.length === 0;
      socket.once('data', (data) => {
        greetings.push(data.readInt32BE(4) === 80_877_103 ? 'may I encrypt?' : 'hello');
        if (first) socket.destroy();
      });
    });
    const connector = connect(port, { ssl_mode: 'prefer' });
    await refused(ask(connector, 'query', { sql: 'select 1' }), 'failed', /closed the connection/);
    const gone = new AbortController();
    const asking = ask(connector, 'query', { sql: 'select 1' }, { signal: gone.signal });
    asking.catch(() => undefined);
    await waitUntil(async () => greetings[1], { what: 'the second greeting', intervalMs: 5 });
    gone.abort();
    await refused(asking, 'timeout', /stopped/);
    assert.deepEqual(greetings, ['may I encrypt?', 'may I encrypt?']);
  });

  it('is left by one that does not hang up', async () => {
    const left = Promise.withResolvers<void>();
    const { port } = await listening(
      (socket) => {
        // Only who writes learns that the other end is gone.
        const talking = setInterval(() => socket.write(message('S', 'a\0b\0')), 20);
        socket.on('data', () => socket.write(WELCOME));
        socket.on('close', () => (clearInterval(talking), left.resolve()));
      },
      { allowHalfOpen: true },
    );
    const connector = connectorOf(postgresql, place(port));
    await ask(connector, 'query', { sql: 'select 1' }, { signal: AbortSignal.timeout(500) }).catch(() => undefined);
    await connector.close();
    await left.promise;
  });

  describe('that is real', () => {
    let server: Awaited<ReturnType<typeof startPostgres>>;
    let home: string;
    let admin: pg.Client;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'casebook-hostile-'));
      server = await startPostgres({ home, port: await freePort(), settings: { fsync: 'off' } });
      admin = new pg.Client({ connectionString: server.adminUrl });
      await admin.connect();
    });
    after(async () => {
      await admin?.end();
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    });
    const running = async (mark: string): Promise<unknown[]> =>
      (
        await admin.query(
          `select query from pg_stat_activity where state <> 'idle' and query like $1 and pid <> pg_backend_pid()`,
          [`%${mark}%`],
        )
      ).rows;
    const until = (mark: string, count: number) =>
      waitUntil(async () => ((await running(mark)).length === count ? true : undefined), {
        what: `${count} of ${mark}`,
        intervalMs: 10,
      });

    it('gives the first of 10 million rows, and ends the statement', async () => {
      const connector = closing(connectorOf(postgresql, { url: server.adminUrl, allow_powerful: true }));
      const sql = `select generate_series(1, 10000000) as n, 'mark-rows'`;
      const some = await ask(connector, 'query', { sql, max_rows: 10_000 });
      assert.deepEqual([some.rows.length, some.rows.at(-1)[0], some.truncated], [10_000, 10_000, true]);
      await until('mark-rows', 0);
      await refused(ask(connector, 'query', { sql, max_rows: 10_000 }, { maxBytes: 50_000 }), 'too_large', /50000/);
      await until('mark-rows', 0);
      assert.deepEqual((await ask(connector, 'query', { sql: 'select 1' })).rows, [[1]]);
    });

    it('gives no part of the rows when the connection drops between them', async () => {
      const network = await startNetwork(server.adminUrl);
      opened.unshift({ close: () => network.stop() });
      const connector = closing(connectorOf(postgresql, { url: network.url, allow_powerful: true }));
      const sql = `select n, pg_sleep(case when n > 300 then 50 else 0 end), 'mark-cut' from generate_series(1, 1000) n`;
      const asking = ask(connector, 'query', { sql, max_rows: 1_000 });
      asking.catch(() => undefined);
      await waitUntil(
        async () => {
          const sleeping = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and query like '%mark-cut%'`;
          return (await admin.query(sleeping)).rows[0];
        },
        { what: 'rows that were sent', intervalMs: 10 },
      );
      network.cut();
      await refused(asking, 'failed', /No answer from PostgreSQL: /);
      assert.deepEqual((await ask(connector, 'query', { sql: 'select 2' })).rows, [[2]]);
      // Nobody can tell a server whose client is gone; its own time limit ends the statement.
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`);
    });
  });
});

describe('a hostile ClickHouse', () => {
  const ABILITIES = {
    meta: [
      { name: 'name', type: 'String' },
      { name: 'value', type: 'String' },
    ],
    data: [['readonly', '2']],
  };
  /** Says what it can, and does this with each statement. */
  async function answering(treat: (response: ServerResponse) => void, readonly = '2') {
    let statements = 0;
    const seen: string[] = [];
    const server = createWebServer((request, response) => {
      let sql = '';
      request.on('data', (chunk: Buffer) => (sql += chunk.toString()));
      request.on('end', () => {
        seen.push(sql);
        if (sql.includes('system.table_functions')) response.end(JSON.stringify({ ...ABILITIES, data: [] }));
        else if (sql.includes('system.settings'))
          response.end(JSON.stringify({ ...ABILITIES, data: [['readonly', readonly]] }));
        else {
          statements += 1;
          treat(response);
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.unshift({ close: () => (server.closeAllConnections(), server.close()) });
    const statement = () => waitUntil(async () => statements || undefined, { what: 'the statement', intervalMs: 5 });
    return { port: addressOf(server).port, statement, seen };
  }
  const connect = (port: number): Connector =>
    closing(connectorOf(clickhouse, { url: `http://127.0.0.1:${port}`, username: 'u', password: 'p' }));
  const flood = (response: ServerResponse, text: string): void => {
    const more = (): void => {
      while (!response.destroyed && response.write(text));
    };
    response.on('drain', more);
    more();
  };
  const rows = `{"meta":[{"name":"a","type":"String"}],"data":[["x"],\n`;

  for (const [what, treat] of Object.entries<(response: ServerResponse) => void>({
    'answers with a page': (response) => response.end('<html>secret page</html>'),
    'answers with other JSON': (response) => response.end('{"secret": 1}'),
    'hangs up between rows': (response) => response.write(rows, () => response.destroy()),
    'says it is done between rows': (response) => response.end(rows),
    'sends less than it announced': (response) =>
      response.writeHead(200, { 'content-length': 1_000 }).write(rows, () => response.socket?.end()),
    'sends a chunk that is none': (response) => response.write(rows, () => response.socket?.end('zz\r\nsecret\r\n')),
  }))
    it(`fails when it ${what}`, async () => {
      const { port } = await answering(treat);
      const asking = ask(connect(port), 'query', { sql: 'select 1' });
      await refused(asking, 'failed', /^No answer from ClickHouse: (?!.*secret)/s);
    });

  it('does not go where it sends', async () => {
    let followed = 0;
    const inside = await listening(() => (followed += 1));
    const { port } = await answering((response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end(),
    );
    await refused(ask(connect(port), 'query', { sql: 'select 1' }), 'failed', /does not answer as ClickHouse does/);
    assert.equal(followed, 0);
  });

  it('reads little of an error page without an end', async () => {
    const sent = Promise.withResolvers<number>();
    const { port } = await answering((response) => {
      const { socket } = response;
      socket?.once('close', () => sent.resolve(socket.bytesWritten));
      flood(response.writeHead(500), 'secret '.repeat(10_000));
    });
    const asking = ask(connect(port), 'query', { sql: 'select 1' });
    await refused(asking, 'failed', /^No answer from ClickHouse: it does not answer as ClickHouse does$/);
    assert.ok((await sent.promise) < 50_000_000);
  });

  it('bounds rows without an end', async () => {
    const { port } = await answering((response) => flood(response, rows.repeat(1_000)));
    const asking = ask(connect(port), 'query', { sql: 'select 1' }, { maxBytes: 100_000 });
    await refused(asking, 'too_large', /100000 bytes/);
  });

  it('speaks no HTTP, or nothing', async () => {
    const garbage = await listening((socket) => socket.write('SSH-2.0-OpenSSH_9.2p1\r\n'));
    await refused(ask(connect(garbage.port), 'query', { sql: 'select 1' }), 'failed', /No answer from ClickHouse/);
    const silent = await listening(() => undefined);
    const gone = new AbortController();
    const asking = ask(connect(silent.port), 'query', { sql: 'select 1' }, { signal: gone.signal });
    asking.catch(() => undefined);
    await once(silent.server, 'connection');
    gone.abort();
    await refused(asking, 'timeout', /stopped/);
  });

  it('falls silent when it is asked, and when it is told to stop', async () => {
    const { port, statement, seen } = await answering(() => undefined, '0');
    const gone = new AbortController();
    const asking = ask(connect(port), 'query', { sql: 'select 1' }, { signal: gone.signal });
    asking.catch(() => undefined);
    await statement();
    gone.abort();
    await refused(asking, 'timeout', /stopped/);
    assert.match(seen.at(-1) ?? '', /^KILL QUERY/);
  });
});
