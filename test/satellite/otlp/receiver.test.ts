import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import protobuf from 'protobufjs/minimal.js';
import { otlpConfig, startOtlpReceiver, type BorderSpan, type OtlpReceiver } from '../../../satellite/otlp/index.ts';
import { createLog } from '../../../satellite/log.ts';

const MOST = 64 * 1_024;
const TRACE_ID = '5B8EFFF798038103D269B633813FC60C';
const span = (spanId: string, rest: object = {}): object => ({
  traceId: TRACE_ID,
  spanId,
  kind: 3,
  startTimeUnixNano: '1544712660000000000',
  endTimeUnixNano: '1544712661500000000',
  ...rest,
});
const request = (...spans: object[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'web' } }] },
        scopeSpans: [{ spans }],
      },
    ],
  });

describe('satellite OTLP receiver', () => {
  const received: BorderSpan[] = [];
  let receiver: OtlpReceiver;
  const start = async (options: { token?: string; requestTimeoutMs?: number } = {}): Promise<OtlpReceiver> =>
    startOtlpReceiver({
      enabled: true,
      host: '127.0.0.1',
      port: 0,
      max_body_bytes: MOST,
      log: createLog('silent'),
      receive: (spans) => void received.push(...spans),
      ...options,
    });
  const post = async (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    path = '/v1/traces',
  ): Promise<Response> =>
    fetch(receiver.url + path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  const postProtobuf = async (body: Uint8Array<ArrayBuffer>): Promise<Response> =>
    post(body, { 'content-type': 'application/x-protobuf' });

  before(async () => {
    receiver = await start();
  });
  beforeEach(() => void (received.length = 0));
  after(async () => receiver.close());

  /** Whatever a test sent, the receiver goes on. */
  afterEach(async () => {
    const response = await post(request(span('EEE19B7EC3C1B174')));
    assert.deepEqual([response.status, await response.json()], [200, {}]);
  });

  it('takes JSON as the specification writes it', async () => {
    const attributes = [
      { key: 'server.address', value: { stringValue: 'db1' } },
      { key: 'http.request.method', value: { stringValue: 'GET' } },
    ];
    const ids = { parentSpanId: 'EEE19B7EC3C1B173', links: [{ traceId: TRACE_ID, spanId: 'EEE19B7EC3C1B172' }] };
    const body = request(span('EEE19B7EC3C1B174', { ...ids, attributes, status: { code: 2 }, unknown: [1] }));
    assert.equal((await post(body, { 'content-type': 'application/json; charset=utf-8' })).status, 200);
    assert.deepEqual(received, [
      {
        service: 'web',
        kind: 'client',
        traceId: TRACE_ID.toLowerCase(),
        spanId: 'eee19b7ec3c1b174',
        parentSpanId: 'eee19b7ec3c1b173',
        links: [`${TRACE_ID}EEE19B7EC3C1B172`.toLowerCase()],
        seconds: 1.5,
        failed: true,
        attributes: new Map([['server.address', 'db1']]),
      },
    ]);
  });

  it('leaves out bad spans and says how many, in the encoding of the request', async () => {
    const bad = [{}, span('0000000000000000'), span('EEE1'), span('EEE19B7EC3C1B175', { startTimeUnixNano: 'noon' })];
    const response = await post(request(...bad, span('EEE19B7EC3C1B174')));
    const { partialSuccess } = (await response.json()) as { partialSuccess: Record<string, string> };
    assert.deepEqual([response.status, partialSuccess['rejectedSpans'], received.length], [200, '4', 1]);

    // resource_spans > scope_spans > an empty span, by hand.
    const inProtobuf = await postProtobuf(Buffer.from('0a04120212 00'.replaceAll(' ', ''), 'hex'));
    assert.equal(inProtobuf.headers.get('content-type'), 'application/x-protobuf');
    const reader = protobuf.Reader.create(new Uint8Array(await inProtobuf.arrayBuffer()));
    assert.equal(reader.uint32(), (1 << 3) | 2);
    reader.uint32();
    assert.deepEqual([reader.uint32(), Number(reader.int64())], [1 << 3, 1]);
  });

  it('leaves out services without a name and spans within a service, without a word', async () => {
    const anonymous = request(span('EEE19B7EC3C1B174')).replace('"web"', '"unknown_service:node"');
    const internal = request(span('EEE19B7EC3C1B174', { kind: 1 }));
    for (const body of [anonymous, internal, '{}']) assert.deepEqual(await (await post(body)).json(), {});
    assert.deepEqual(received, []);
  });

  it('answers garbage with 400', async () => {
    for (const body of ['', '[]', '{"resourceSpans":3}', '{"resourceSpans":[{"scopeSpans":[null]}]}', '{'.repeat(9)]) {
      const response = await post(body);
      assert.equal(response.status, 400, body);
      assert.equal(((await response.json()) as { code: number }).code, 3);
    }
    assert.equal((await post(Buffer.from([0xff, 0xfe, 0x7b]))).status, 400);
    assert.equal((await post('no gzip', { 'content-encoding': 'gzip' })).status, 400);
    const good = gzipSync(request(span('EEE19B7EC3C1B174')));
    assert.equal((await post(good.subarray(0, good.length - 9), { 'content-encoding': 'gzip' })).status, 400);
  });

  it('answers any bytes as protobuf, with 200 or 400 and never anything else', async () => {
    const noise = Array.from({ length: 300 }, (_, seed) =>
      Uint8Array.from({ length: (seed % 40) + 1 }, (_, at) => Math.imul(seed + 7, at * at + 2_654_435_761) >>> 24),
    );
    // Too long, endless groups, a length beyond the end, a varint without end.
    const crafted = ['0a', '0a7f', '0b'.repeat(30_000), '0affffffff0f', 'ff'.repeat(12), '0a021205', '0a0309ffff'];
    const statuses = new Set<number>();
    for (const body of [...noise, ...crafted.map((text) => Uint8Array.from(Buffer.from(text, 'hex')))]) {
      const response = await postProtobuf(body);
      await response.arrayBuffer();
      statuses.add(response.status);
    }
    assert.deepEqual(
      [...statuses].sort((one, other) => one - other),
      [200, 400],
    );
  });

  it('reads a request of nothing but empty messages', async () => {
    const body = Buffer.alloc(MOST - 4, Buffer.from('1200', 'hex'));
    const header = Buffer.from([0x0a, ((MOST - 4) & 0x7f) | 0x80, (((MOST - 4) >> 7) & 0x7f) | 0x80, (MOST - 4) >> 14]);
    const response = await postProtobuf(Buffer.concat([header, body]));
    assert.deepEqual([response.status, (await response.arrayBuffer()).byteLength, received.length], [200, 0, 0]);
  });

  it('decodes millions of empty spans in little memory', async () => {
    const decoder = new URL('../../../satellite/otlp/protobuf.ts', import.meta.url).href;
    // A span of two bytes, four million times: as gzip a request of 8 kB.
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       const { Writer } = require('protobufjs/minimal.js');
       const scope = Writer.create().uint32(18).bytes(Buffer.alloc(8_000_000, Buffer.from('1200', 'hex'))).finish();
       const body = Writer.create().uint32(10).bytes(scope).finish();
       import(${JSON.stringify(decoder)}).then((one) => parentPort.postMessage(one.decodeProtobuf(body)));`,
      { eval: true, resourceLimits: { maxOldGenerationSizeMb: 48 } },
    );
    const [decoded] = await once(worker, 'message');
    assert.deepEqual(decoded, { spans: [], rejected: 4_000_000 });
    await worker.terminate();
  });

  for (const [what, spans] of [
    ['empty spans', '{},'.repeat(2_700_000) + '{}'],
    ['empty lists in a span', `{"unknown":[${'[],'.repeat(2_700_000)}[]]}`],
    ['empty attributes of a span', `{"attributes":[${'{},'.repeat(2_700_000)}{}]}`],
  ] as const)
    it(`decodes millions of ${what} in JSON in little memory`, async () => {
      const decoder = new URL('../../../satellite/otlp/json.ts', import.meta.url).href;
      const worker = new Worker(
        `const { parentPort, workerData } = require('node:worker_threads');
         import(${JSON.stringify(decoder)}).then((one) => parentPort.postMessage(one.decodeJson(workerData)));`,
        {
          eval: true,
          workerData: Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`),
          resourceLimits: { maxOldGenerationSizeMb: 48 },
        },
      );
      const [decoded] = (await once(worker, 'message')) as [{ spans: unknown[]; rejected: number }];
      assert.deepEqual(decoded.spans, []);
      assert.ok(decoded.rejected > 0);
      await worker.terminate();
    });

  it('reads JSON in any order of members, with any values and escapes', async () => {
    const text = `{"other":{"a":[1,{"b":"\\\\"}],"c":null},"resourceSpans":[{"scopeSpans":[{"spans":[
      {"attributes":[{"value":{"stringValue":"d\\u0062\\"1"},"key":"server.address"},{"value":{"intValue":"1"},"key":"db.name"},
        {"key":"db.system","value":null}],
       "links":null,"status":null,"endTimeUnixNano":1500000000,"startTimeUnixNano":0,"kind":3,"flags":true,
       "spanId":"eee19b7ec3c1b174","traceId":"${TRACE_ID}"}]}],
      "resource":{"attributes":[{"value":{"stringValue":"we\\u0062"},"key":"service.name"}]}}]}`;
    assert.equal((await post(text)).status, 200);
    const [one] = received;
    assert.deepEqual(
      [one?.service, one?.kind, one?.seconds, one?.failed, [...(one?.attributes ?? [])]],
      ['web', 'client', 1.5, false, [['server.address', 'db"1']]],
    );
    for (const broken of [text.slice(0, -1), `${text}]`, text.replace('"other":{', '"other":}'), '{"a":"b'])
      assert.equal((await post(broken)).status, 400, broken.slice(-40));
  });

  it('listens where others reach it with a token only', () => {
    const parse = (config: object) => otlpConfig.safeParse({ enabled: true, ...config });
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) assert.ok(parse({ host }).success, host);
    for (const host of ['0.0.0.0', '::', '10.0.0.7', 'satellite', '127.0.0.1.example.com']) {
      assert.match(String(parse({ host }).error?.issues[0]?.message), /is required when others can reach/, host);
      assert.ok(parse({ host, token: 'a secret' }).success, host);
    }
  });

  it('takes gzip, and nothing else', async () => {
    const body = gzipSync(request(span('EEE19B7EC3C1B174')));
    assert.equal((await post(body, { 'content-encoding': 'gzip' })).status, 200);
    assert.equal(received.length, 1);
    assert.equal((await post(body, { 'content-encoding': 'br' })).status, 415);
    assert.equal((await post('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415);
  });

  it('refuses what is too large: announced, streamed, or as gzip', async () => {
    assert.equal((await post(' '.repeat(MOST + 1))).status, 413);
    const stream = new ReadableStream({
      start: (controller) => {
        for (let sent = 0; sent <= MOST; sent += 1_024) controller.enqueue(Buffer.alloc(1_024, ' '));
        controller.close();
      },
    });
    const streamed = await fetch(`${receiver.url}/v1/traces`, {
      method: 'POST',
      body: stream,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(streamed.status, 413);
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    assert.ok(bomb.length < MOST);
    assert.equal((await post(bomb, { 'content-encoding': 'gzip' })).status, 413);
    const half = gzipSync(Buffer.alloc(MOST / 2 + 1, ' '));
    assert.equal((await post(Buffer.concat([half, half]), { 'content-encoding': 'gzip' })).status, 413);
  });

  it('says where else to send metrics and logs, and what the path is', async () => {
    for (const path of ['/v1/metrics', '/v1/logs', '/', '//', '/v1/traces/x']) {
      const response = await post('{}', {}, path);
      assert.equal(response.status, 404);
      assert.match(((await response.json()) as { message: string }).message, /\/v1\/traces/u);
    }
    const get = await fetch(`${receiver.url}/v1/traces`);
    assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST']);
  });

  it('asks to come back later when too much arrives at once, and takes it afterwards', async () => {
    const { hostname, port } = new URL(receiver.url);
    const head = `POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${MOST}\r\n\r\n`;
    const held = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        await new Promise<void>((resolve) => void socket.write(head + ' '.repeat(MOST - 1), () => resolve()));
        return socket;
      }),
    );
    const large = request(span('EEE19B7EC3C1B174')).padEnd(MOST);
    let response = await post(large);
    // Written is not yet read: soon the receiver holds all of it.
    while (response.status !== 429) response = await post(large);
    assert.equal(response.headers.get('retry-after'), '1');
    for (const socket of held) socket.destroy();
    while ((await post(large)).status !== 200);
  });

  it('does not wait for ever for a slow body, and serves others meanwhile', async () => {
    const impatient = await start({ requestTimeoutMs: 2_000 });
    try {
      const { hostname, port } = new URL(impatient.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        'POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
      );
      let text = '';
      socket.on('data', (chunk) => void (text += chunk.toString()));
      const other = await fetch(`${impatient.url}/v1/traces`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(other.status, 200);
      await once(socket, 'close');
      assert.match(text, /^HTTP\/1\.1 408 /u);
    } finally {
      await impatient.close();
    }
  });

  it('a token, where one is set, is needed', async () => {
    const guarded = await start({ token: 'a secret' });
    try {
      const statuses = [];
      for (const authorization of [undefined, 'Bearer wrong', 'a secret', 'Bearer a secret']) {
        const response = await fetch(`${guarded.url}/v1/traces`, {
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        });
        statuses.push(response.status);
      }
      assert.deepEqual(statuses, [401, 401, 401, 200]);
    } finally {
      await guarded.close();
    }
  });

  it('says that its port is taken', async () => {
    const port = Number(new URL(receiver.url).port);
    const options = { enabled: true, host: '127.0.0.1', max_body_bytes: MOST, log: createLog('silent') };
    await assert.rejects(startOtlpReceiver({ ...options, port, receive: () => {} }), { code: 'EADDRINUSE' });
  });
});
