import { z } from 'zod';
import type { ApiDeps } from '../../../http/deps.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import { receiveWebhook, type WebhookDeps } from './receive.ts';

interface Deps extends ApiDeps {
  webhooks: WebhookDeps;
}

/** Hosts send up to 25 MB for the rarest of pushes; a mirror notices those by itself. */
const MAX_BYTES = 8 * 1_048_576;

export const WEBHOOK_PATH = '/api/workspace/webhook/codehost-a';

const WebhookReceipt = z
  .object({
    ignored: z.boolean().meta({ description: 'Whether nobody has connected the repository.' }),
    duplicate: z.boolean().meta({ description: 'Whether the delivery has been received before.' }),
  })
  .meta({ id: 'CodeHostWebhookReceipt' });

export const webhook = endpointFor<Deps>()({
  method: 'post',
  path: WEBHOOK_PATH,
  operationId: 'receiveCodeHostWebhook',
  summary: 'Report what happened in a repository',
  description:
    'For GitHub, Gitea, Forgejo and GitLab. `X-Hub-Signature-256` (of the body as it was sent) or `X-Gitlab-Token` proves that the delivery comes from a connected code host. A push, a new branch or a deleted one has the mirror of the repository fetched. A delivery is received once, by its id; repeating one that was not answered with 200 is harmless.',
  tags: ['Code hosts'],
  auth: 'none',
  // A host has one address for everything that happens on it.
  rateLimited: false,
  rawBody: z.record(z.string(), z.unknown()).meta({ id: 'CodeHostWebhookDelivery' }),
  bodyLimitBytes: MAX_BYTES,
  response: WebhookReceipt,
  errors: [401, 422, 503],
  async handler({ ctx, deps, rawBody }) {
    const received = await receiveWebhook(deps.webhooks, ctx.req.headers, rawBody);
    if (received === 'unread')
      throw new InvalidRequest([
        {
          type: 'value_error',
          loc: ['body'],
          msg: 'Not an event that a code host sends',
          input: null,
        },
      ]);
    return { ignored: received === 'ignored', duplicate: received === 'duplicate' };
  },
});
