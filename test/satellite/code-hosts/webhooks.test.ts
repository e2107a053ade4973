import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { sign } from '@octokit/webhooks-methods';
import { deliveryOf, readWebhook, verifyWebhook, type CodeHostKind, type HostEvent } from '@casebook/connectors';
import fc from 'fast-check';
import { z } from 'zod';

/** What the recorded Gitea had as the webhook's secret. */
const SECRET = 'the secret of the recording';

const load = async <Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema>> =>
  schema.parse(JSON.parse(await readFile(new URL(`deliveries/${file}`, import.meta.url), 'utf8')));
const published = z.array(z.object({ event: z.string(), body: z.looseObject({}) }));
const recorded = z.array(z.object({ headers: z.record(z.string(), z.string()), body: z.string() }));

/** An event without the repository, which all of them have. */
const gist = (event: HostEvent | null | undefined): unknown[] => {
  assert.ok(event);
  const { repository, ...rest } = event;
  assert.ok(repository.id && repository.fullName);
  return Object.values(rest);
};

describe('deliveries to webhooks', () => {
  describe('whose they are', () => {
    it('a recorded Gitea signs what it sent, and nothing else', async () => {
      for (const { headers, body } of await load('gitea.json', recorded)) {
        const raw = Buffer.from(body);
        assert.equal(await verifyWebhook('gitea', headers, raw, SECRET), true);
        assert.equal(await verifyWebhook('gitea', headers, raw, `${SECRET} `), false);
        assert.equal(await verifyWebhook('gitea', headers, Buffer.from(`${body} `), SECRET), false);
        assert.match(deliveryOf(headers) ?? '', /^[0-9a-f-]{36}$/u);
      }
    });

    it("GitHub's published example of a signature holds", async () => {
      const headers = {
        'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
        'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      };
      const raw = Buffer.from('Hello, World!');
      assert.equal(await verifyWebhook('github', headers, raw, "It's a Secret to Everybody"), true);
      assert.equal(await verifyWebhook('github', headers, raw, "It's a secret to Everybody"), false);
      assert.equal(deliveryOf(headers), '72d3162e-cc78-11e3-81ab-4c9367dc0958');
    });

    it('the bytes are signed, whatever they are', async () => {
      const bytes = Buffer.from('{"name":"Größe 😀\ufeff"}');
      const signature = await sign('s3cret', bytes.toString());
      assert.equal(await verifyWebhook('github', { 'x-hub-signature-256': signature }, bytes, 's3cret'), true);
      const broken = Buffer.concat([bytes, Buffer.from([0xff])]);
      assert.equal(await verifyWebhook('github', { 'x-hub-signature-256': signature }, broken, 's3cret'), false);
    });

    it('GitLab sends the secret', async () => {
      const raw = Buffer.from('{}');
      assert.equal(await verifyWebhook('gitlab', { 'x-gitlab-token': 's3cret' }, raw, 's3cret'), true);
      assert.equal(await verifyWebhook('gitlab', { 'x-gitlab-token': 's3cre' }, raw, 's3cret'), false);
      const signature = await sign('s3cret', '{}');
      assert.equal(await verifyWebhook('gitlab', { 'x-hub-signature-256': signature }, raw, 's3cret'), false);
      assert.equal(deliveryOf({ 'x-gitlab-event-uuid': 'b', 'idempotency-key': 'a' }), 'a');
    });

    it('what has no signature, or several, or no secret, is nobody’s', async () => {
      const signature = await sign('s3cret', '{}');
      for (const kind of ['github', 'gitea', 'gitlab'] as const) {
        const refuse = async (headers: Record<string, string | string[]>, raw = '{}', secret = 's3cret') =>
          assert.equal(await verifyWebhook(kind, headers, Buffer.from(raw), secret), false);
        await refuse({});
        await refuse({ 'x-hub-signature-256': '', 'x-gitlab-token': '' });
        await refuse({ 'x-hub-signature-256': [signature], 'x-gitlab-token': ['s3cret'] });
        await refuse({ 'x-hub-signature-256': signature.replace('sha256=', ''), 'x-gitlab-token': 'S3CRET' });
        await refuse({ 'x-hub-signature-256': 'sha256=ä', 'x-gitlab-token': 'ä' });
        await refuse({ 'x-hub-signature-256': signature }, '');
        await refuse({ 'x-hub-signature-256': signature, 'x-gitlab-token': '' }, '{}', '');
      }
      assert.equal(deliveryOf({}), undefined);
    });
  });

  describe('what they report', () => {
    it('Gitea, as recorded', async () => {
      const events = (await load('gitea.json', recorded)).map(({ headers, body }) =>
        readWebhook('gitea', headers, JSON.parse(body)),
      );
      assert.ok(events.every((event) => event?.repository.fullName === 'casebook/shop' && event.repository.id === '1'));
      const hash = /^[0-9a-f]{40}$/u;
      const [run, branch, pushed, ...others] = events.map(gist);
      assert.deepEqual([run![0], run![3]], ['run', 'main']);
      assert.match(String(run![2]), hash);
      assert.deepEqual(branch, ['create', 'refs/heads/feature/price']);
      assert.deepEqual(pushed, ['push', 'feature/price']);
      assert.deepEqual(
        others.map((event) => event.slice(0, 2)),
        [
          ['pull_request', 1],
          ['pull_request', 1],
          ['push', null],
          ['create', 'refs/tags/v1'],
          ['pull_request', 1],
          ['pull_request', 1],
          ['delete', 'refs/heads/feature/price'],
          ['other', 'issue_comment'],
        ],
      );
    });

    it('GitHub, as published', async () => {
      const examples = await load('github.json', published);
      const events = examples.map(({ event, body }) => readWebhook('github', { 'x-github-event': event }, body));
      assert.equal(events.pop(), null, 'the ping of an organization');
      assert.deepEqual(events[0]?.repository, { id: '186853002', fullName: 'Codertocat/Hello-World' });
      assert.deepEqual(events.map(gist), [
        ['push', 'master'],
        ['push', null],
        ['create', 'refs/tags/simple-tag'],
        ['delete', 'refs/tags/simple-tag'],
        ['pull_request', 2],
        ['pull_request', 2],
        ['pull_request', 2],
        ['run', '1589141559', '5779607b49aab1200488439f02372c57b4f75444', 'main'],
        ['other', 'check_run'],
        ['other', 'ping'],
      ]);
    });

    it('GitLab, as documented', async () => {
      const examples = await load('gitlab.json', published);
      const events = examples.map(({ event, body }) => readWebhook('gitlab', { 'x-gitlab-event': event }, body));
      assert.deepEqual(events[0]?.repository, { id: '15', fullName: 'mike/group/diaspora' });
      assert.deepEqual(events.map(gist), [
        ['push', 'main'],
        ['push', 'old'],
        ['push', null],
        ['pull_request', 1],
        ['run', '31', 'bcbb5ec396a2c0f828686f14fac9b80b780504f2', 'master'],
        ['other', 'note'],
      ]);
    });

    it('what another host sends is nothing', async () => {
      const [github] = await load('github.json', published);
      const [gitlab] = await load('gitlab.json', published);
      assert.equal(readWebhook('gitlab', { 'x-gitlab-event': 'Push Hook' }, github?.body), undefined);
      assert.equal(readWebhook('github', { 'x-github-event': 'push' }, gitlab?.body), undefined);
      assert.equal(readWebhook('github', {}, github?.body), undefined);
    });

    it('garbage is nothing, and never an exception', () => {
      const kinds: CodeHostKind[] = ['github', 'gitea', 'gitlab'];
      const events = ['push', 'create', 'delete', 'pull_request', 'workflow_run', 'ping', ''];
      const about = { repository: { id: 1, full_name: 'a/b' }, project: { id: 1, path_with_namespace: 'a/b' } };
      fc.assert(
        fc.property(fc.constantFrom(...kinds), fc.constantFrom(...events), fc.anything(), (kind, event, body) => {
          const headers = { 'x-github-event': event, 'x-gitlab-event': event };
          readWebhook(kind, headers, body);
          const named = {
            ...about,
            object_kind: event,
            pull_request: body,
            workflow_run: body,
            object_attributes: body,
          };
          const read = readWebhook(kind, headers, { ...named, ref: body, ref_type: body });
          assert.ok(!read || read.repository.fullName === 'a/b');
        }),
      );
    });
  });
});
