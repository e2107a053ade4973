/** Where an agent reports, in the form of the API. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

const MOST_RECIPIENTS = 20;
const SHORTEST_SECRET = 16;

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'Value should be an https:// URL' })
  .max(2_000)
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'Value must be text without NUL');

/** Posts to one channel of Slack through an incoming webhook. Has no threads. */
const SlackWebhookChannel = z
  .strictObject({
    type: z.literal('slack_webhook'),
    url: httpUrl.meta({ description: 'The URL that Slack shows for the webhook. It is a secret.', writeOnly: true }),
  })
  .meta({ id: 'SlackWebhookChannel' });

/** Posts as a bot of Slack, with what belongs together in one thread. */
const SlackChannel = z
  .strictObject({
    type: z.literal('slack'),
    bot_token: z
      .string()
      .regex(/^xoxb-[\w-]{10,250}$/, 'Value should be the token of a bot, which begins with xoxb-')
      .meta({ description: 'Needs the scope chat:write.', writeOnly: true }),
    channel: z
      .string()
      .regex(/^#?[\p{L}\p{M}\p{N}_.-]{1,80}$/u, 'Value should be the id of a channel, or its name')
      .meta({ description: 'Id of the channel (C0123456789), or its name (#ops).' }),
  })
  .meta({ id: 'SlackChannel' });

const webhookSecret = z
  .string()
  .min(SHORTEST_SECRET)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'Value should have printable ASCII characters only')
  .refine(
    (value) => !value.startsWith('whsec_') || z.base64().min(SHORTEST_SECRET).safeParse(value.slice(6)).success,
    'What follows whsec_ should be Base64',
  );

/** Posts signed JSON, after the Standard Webhooks specification. */
const WebhookChannel = z
  .strictObject({
    type: z.literal('webhook'),
    url: httpUrl,
    secret: webhookSecret.optional().meta({
      description:
        'Signs what is sent: Base64 after whsec_, or any text, whose bytes are the key. Absent: one is made, and shown once.',
      writeOnly: true,
    }),
  })
  .meta({ id: 'WebhookChannel' });

const EmailChannel = z
  .strictObject({
    type: z.literal('email'),
    to: z.array(z.email().max(254)).min(1).max(MOST_RECIPIENTS),
  })
  .meta({ id: 'EmailChannel' });

/** What a channel can be. */
export const CHANNEL_TYPES = ['slack', 'slack_webhook', 'webhook', 'email'] as const;

export const NotificationChannel = z
  .discriminatedUnion('type', [SlackChannel, SlackWebhookChannel, WebhookChannel, EmailChannel])
  .meta({ id: 'NotificationChannel' });
export type NotificationChannel = z.infer<typeof NotificationChannel>;

export type SlackChannel = z.infer<typeof SlackChannel>;
export type SlackWebhookChannel = z.infer<typeof SlackWebhookChannel>;
export type WebhookChannel = z.infer<typeof WebhookChannel> & { secret: string };
export type EmailChannel = z.infer<typeof EmailChannel>;

/** A channel that lacks nothing: only such a one can be stored. */
export type CompleteChannel = SlackChannel | SlackWebhookChannel | WebhookChannel | EmailChannel;

/**
 * Makes the secret that a webhook needs where none is given.
 * @returns `generatedSecret`: to be shown to whoever sets the channel, this once
 */
export function completeChannel(channel: NotificationChannel): { channel: CompleteChannel; generatedSecret?: string } {
  if (channel.type === 'email') return { channel: { ...channel, to: [...new Set(channel.to)] } };
  if (channel.type !== 'webhook') return { channel };
  if (channel.secret !== undefined) return { channel: { ...channel, secret: channel.secret } };
  const generatedSecret = `whsec_${randomBytes(32).toString('base64')}`;
  return { channel: { ...channel, secret: generatedSecret }, generatedSecret };
}
