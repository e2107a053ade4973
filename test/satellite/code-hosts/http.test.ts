import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Octokit } from '@octokit/core';
import { CodeHostError, type Network } from '@casebook/connectors';
import { createHostHttp, throughClient, type HostHttp } from '../../../packages/connectors/shared/code-host/http.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from '../../support/http-receiver.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const TOKEN = 'ghp_0123456789abcdef';
const authorization = `Bearer ${TOKEN}`;
const { signal } = new AbortController();

type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

describe('HTTP to a code host', () => {
  let server: HttpReceiver;
  let elsewhere: HttpReceiver;
  let answer: Answer;
  let http: HostHttp;

  before(async () => {
    server = await startHttpReceiver((request, response) => answer(request, response));
    elsewhere = await startHttpReceiver((_request, response) => void response.writeHead(200).end('log of the job\n'));
  });
  beforeEach(() => {
    server.requests.length = 0;
    elsewhere.requests.length = 0;
    answer = json(200, { ok: true });
    http = open();
  });
  after(() => Promise.all([server.stop(), elsewhere.stop()]));

  const open = (network?: Network): HostHttp =>
    createHostHttp({ name: 'GitHub', url: `${server.url}/api/v3`, network, now: () => NOW });
  const json =
    (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
    (_request, response) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const get = (path = '/api/v3/user', headers: Record<string, string> = { authorization }) =>
    http.fetch(`${server.url}${path}`, { headers, signal });
  const refusal = async (work: () => Promise<unknown>): Promise<CodeHostError> => {
    try {
      await work();
    } catch (error) {
      assert.ok(error instanceof CodeHostError, String(error));
      return error;
    }
    throw new assert.AssertionError({ message: 'It was not refused.' });
  };

  describe('asks again with what it has', () => {
    beforeEach(() => {
      answer = ({ headers }, response) => {
        if (headers['if-none-match'] === '"one"') response.writeHead(304).end();
        else json(200, { name: 'shop' }, { etag: '"one"', link: '<x>; rel="next"' })({} as never, response);
      };
    });

    it('and takes "not modified" for the same answer', async () => {
      for (const _ of [1, 2, 3]) {
        const found = await get();
        assert.equal(found.status, 200);
        assert.equal(found.headers.get('link'), '<x>; rel="next"');
        assert.deepEqual(await found.json(), { name: 'shop' });
      }
      assert.deepEqual(
        server.requests.map(({ headers }) => headers['if-none-match']),
        [undefined, '"one"', '"one"'],
      );
    });

    it('never for another credential, address or form, and never for a change', async () => {
      await get();
      await get('/api/v3/user', { authorization: 'Bearer other' });
      await get('/api/v3/user?page=2');
      await get('/api/v3/user', { authorization, accept: 'text/plain' });
      await http.fetch(`${server.url}/api/v3/user`, { method: 'POST', body: '{}', headers: { authorization }, signal });
      assert.ok(server.requests.every(({ headers }) => headers['if-none-match'] === undefined));
    });

    it('within bounds', async () => {
      const body = 'x'.repeat(9 * 1_048_576);
      answer = (_request, response) => void response.writeHead(200, { etag: '"big"' }).end(body);
      for (const path of ['/a', '/b', '/b', '/a']) assert.equal((await (await get(path)).text()).length, body.length);
      assert.deepEqual(
        server.requests.map(({ headers }) => headers['if-none-match']),
        [undefined, undefined, '"big"', undefined],
      );
    });
  });

  describe('says why it got nothing', () => {
    const seconds = NOW / 1000;
    const limits: [string, number, unknown, Record<string, string>, number][] = [
      ['seconds', 429, {}, { 'retry-after': '30' }, 30_000],
      ['a time', 429, {}, { 'retry-after': 'Fri, 01 May 2026 12:02:00 GMT' }, 120_000],
      ['a time that has passed', 429, {}, { 'retry-after': 'Fri, 01 May 2026 11:00:00 GMT' }, 1_000],
      ['nothing', 429, {}, {}, 60_000],
      ['nonsense', 429, {}, { 'retry-after': 'soon' }, 60_000],
      ['a year', 429, {}, { 'retry-after': '31536000' }, 86_400_000],
      ['a secondary limit', 403, { message: 'You have exceeded a secondary rate limit.' }, {}, 60_000],
      [
        'the reset of its limit',
        403,
        { message: 'API rate limit exceeded' },
        { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(seconds + 1_800) },
        1_800_000,
      ],
      [
        "GitLab's reset",
        429,
        'Retry later',
        { 'ratelimit-remaining': '0', 'ratelimit-reset': String(seconds + 45) },
        45_000,
      ],
    ];
    for (const [what, status, body, headers, pause] of limits) {
      it(`a limit, and how long it asks to wait: ${what}`, async () => {
        answer = json(status, body, headers);
        const { reason, code, retryAfterMs } = await refusal(get);
        assert.deepEqual([reason, code, retryAfterMs], ['limited', 'busy', pause]);
        assert.equal(server.requests.length, 1);
      });
    }

    for (const [status, reason] of [
      [400, 'invalid'],
      [401, 'unauthorized'],
      [403, 'forbidden'],
      [404, 'not_found'],
      [409, 'conflict'],
      [410, 'not_found'],
      [422, 'invalid'],
      [500, 'unavailable'],
      [503, 'unavailable'],
    ] as const) {
      it(`${status} is ${reason}`, async () => {
        answer = json(status, { message: 'Because', errors: [{ resource: 'Label', field: 'name', code: 'missing' }] });
        const error = await refusal(get);
        assert.equal(error.reason, reason);
        assert.equal(error.retryAfterMs, undefined);
        assert.match(error.message, new RegExp(`^GitHub at 127.0.0.1:\\d+ answered ${status}: Because; name missing$`));
      });
    }

    it('in the words of each host', async () => {
      const words = async (body: unknown): Promise<string> => {
        answer = json(400, body);
        return (await refusal(get)).message.replace(/^.*answered 400:? ?/u, '');
      };
      assert.equal(await words({ message: { name: ['is too long', 'is taken'] } }), 'name is too long, is taken');
      assert.equal(await words({ message: ['One', 'Two'] }), 'One, Two');
      assert.equal(await words({ error: 'invalid_grant', error_description: 'Expired.' }), 'invalid_grant; Expired.');
      assert.equal(await words({ message: '', errors: ['user does not exist'] }), 'user does not exist');
      assert.equal(await words(null), 'null');
      assert.ok((await words({ message: 'x'.repeat(100_000) })).length <= 600);
    });

    it('in one line, without characters that a log or a database would take amiss', async () => {
      answer = json(400, { message: 'One\u0000\r\ntwo\u001b[31m\ud800three' });
      assert.match((await refusal(get)).message, /answered 400: One two \[31m three$/u);
    });

    it('without the page of a proxy', async () => {
      answer = (_request, response) => void response.writeHead(502).end('<html><body>Bad gateway</body></html>');
      assert.match((await refusal(get)).message, /answered 502$/u);
    });

    it('without the credentials that the host repeats', async () => {
      answer = ({ headers, body }, response) =>
        json(422, { message: `${headers['authorization']} ${body}` })({} as never, response);
      const body = JSON.stringify({ config: { url: 'https://x', secret: 'webhook-secret-1' }, note: 'kept' });
      const error = await refusal(() =>
        http.fetch(`${server.url}/api/v3/hooks`, { method: 'POST', body, headers: { authorization }, signal }),
      );
      assert.doesNotMatch(error.message, /ghp_|webhook-secret/u);
      assert.match(error.message, /\[hidden\].*\[hidden\].*kept/u);
      answer = ({ headers }, response) => json(401, { message: headers['private-token'] })({} as never, response);
      assert.doesNotMatch((await refusal(() => get('/x', { 'private-token': TOKEN }))).message, /ghp_/u);
    });

    it('that nobody answers', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const lonely = createHostHttp({ name: 'Gitea', url });
      const error = await refusal(() => lonely.fetch(`${url}/api`, { signal }));
      assert.equal(error.reason, 'unavailable');
      assert.match(error.message, /did not answer: ECONNREFUSED$/u);
    });
  });

  describe('goes to the host alone', () => {
    const redirect =
      (status: number, location: string, at = '/api/v3/old'): Answer =>
      (request, response) => {
        if (request.path === at) response.writeHead(status, { location }).end();
        else json(200, { method: request.method, body: request.body })(request, response);
      };

    it('follows a renaming within it', async () => {
      answer = redirect(301, '/api/v3/new');
      assert.deepEqual(await (await get('/api/v3/old')).json(), { method: 'GET', body: '' });
      assert.equal(server.requests[1]?.headers['authorization'], authorization);
    });

    it('repeats a change only where it stays one', async () => {
      const post = () => http.fetch(`${server.url}/api/v3/old`, { method: 'POST', body: '{"a":1}', signal });
      answer = redirect(307, '/api/v3/new');
      assert.deepEqual(await (await post()).json(), { method: 'POST', body: '{"a":1}' });
      answer = redirect(302, '/api/v3/new');
      assert.match((await refusal(post)).message, /redirects to another URL/u);
    });

    it('takes no credential elsewhere', async () => {
      answer = redirect(302, `${elsewhere.url}/api`);
      assert.equal((await refusal(() => get('/api/v3/old'))).reason, 'unavailable');
      assert.equal((await refusal(() => http.fetch(`${elsewhere.url}/next`, { signal }))).reason, 'unavailable');
      assert.deepEqual(elsewhere.requests, []);
    });

    it('ends a circle', async () => {
      answer = (_request, response) => void response.writeHead(302, { location: '/api/v3/old' }).end();
      assert.equal((await refusal(() => get('/api/v3/old'))).reason, 'unavailable');
      assert.ok(server.requests.length < 10);
    });

    it('where the network allows', async () => {
      const network: Network = {
        lookup: (_host, _options, callback) => callback(new Error('That address is private.'), '', 4),
        hostProblem: () => undefined,
        urlProblem: (url) => (url.includes('127.0.0.1') ? 'it is an internal address' : undefined),
      };
      http = open(network);
      assert.match((await refusal(get)).message, /it is an internal address$/u);
      const named = createHostHttp({ name: 'Gitea', url: 'http://git.example.com', network });
      const error = await refusal(() => named.fetch('http://git.example.com/api', { signal }));
      assert.match(error.message, /did not answer: That address is private\.$/u);
      assert.deepEqual(server.requests, []);
    });
  });

  it('stops reading an answer that is too large', async () => {
    let sent = 0;
    const stopped = Promise.withResolvers<void>();
    answer = (_request, response) => {
      const block = 'x'.repeat(256 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(block)) sent += block.length;
      };
      response.on('drain', more).on('close', () => stopped.resolve());
      more();
    };
    assert.match((await refusal(get)).message, /answered with more than \d+ bytes/u);
    await stopped.promise;
    assert.ok(sent < 64 * 1_048_576);
  });

  describe('the end of a text', () => {
    const tail = (maxBytes: number, path = '/log') =>
      http.tail(`${server.url}${path}`, { headers: { authorization }, maxBytes, signal });
    const lines = Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`).join('');

    it('whole if it is short', async () => {
      answer = (_request, response) => void response.end('one\ntwo\n');
      assert.deepEqual(await tail(8), { text: 'one\ntwo\n', truncated: false });
    });

    it('from the start of a line if it is long', async () => {
      answer = (_request, response) => void response.end(lines);
      const { text, truncated } = await tail(1_000);
      assert.equal(truncated, true);
      assert.ok(lines.endsWith(text) && text.startsWith('line ') && text.length > 980 && text.length <= 1_000);
    });

    it('from storage elsewhere, which gets no credential', async () => {
      answer = (_request, response) => void response.writeHead(302, { location: `${elsewhere.url}/blob?sig=1` }).end();
      assert.equal((await tail(100)).text, 'log of the job\n');
      const [request] = elsewhere.requests as [ReceivedRequest];
      assert.equal(request.path, '/blob?sig=1');
      assert.doesNotMatch(JSON.stringify(request.headers), /ghp_/u);
    });

    it('never from where the network does not allow', async () => {
      http = open({
        lookup: (_host, _options, callback) => callback(new Error('no'), '', 4),
        hostProblem: () => undefined,
        urlProblem: (url) => (url.startsWith(server.url) ? undefined : 'it is an internal address'),
      });
      answer = (_request, response) => void response.writeHead(302, { location: `${elsewhere.url}/metadata` }).end();
      assert.match((await refusal(() => tail(100))).message, /it is an internal address/u);
      for (const location of ['file:///etc/passwd', 'ftp://x/y']) {
        answer = (_request, response) => void response.writeHead(302, { location }).end();
        assert.equal((await refusal(() => tail(100))).reason, 'unavailable');
      }
      assert.deepEqual(elsewhere.requests, []);
    });

    it('or why there is none', async () => {
      answer = json(410, { message: 'Server error: logs have expired' });
      const error = await refusal(() => tail(100));
      assert.deepEqual([error.reason, /expired/u.test(error.message)], ['not_found', true]);
    });
  });

  describe('through a vendor’s client', () => {
    const ask = (stop = signal) => {
      const octokit = new Octokit({ baseUrl: `${server.url}/api/v3` });
      const request = { fetch: http.fetch, signal: stop };
      return throughClient(() => octokit.request('GET /user', { headers: { authorization }, request }), {
        signal: stop,
      });
    };

    it('gives what the host answers', async () => {
      assert.deepEqual((await ask()).data, { ok: true });
    });

    it('throws the refusal itself, once, without the request', async () => {
      answer = json(429, {}, { 'retry-after': '5' });
      const error = await refusal(ask);
      assert.equal(error.retryAfterMs, 5_000);
      assert.equal(server.requests.length, 1);
      assert.doesNotMatch(JSON.stringify(error) + String(error.stack) + JSON.stringify(error.cause ?? ''), /ghp_/u);
    });

    it('stops when the caller gives up, with the caller’s reason', async () => {
      const gone = new AbortController();
      const closed = Promise.withResolvers<void>();
      answer = (_request, response) => {
        response.on('close', () => closed.resolve());
        gone.abort(new Error('given up'));
      };
      await assert.rejects(ask(gone.signal), /^Error: given up$/u);
      await closed.promise;
    });
  });
});
