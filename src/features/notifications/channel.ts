/** Channels: their API form, their storage (sealed), and which ones this installation supports. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { InvalidRequest } from '../../http/errors.ts';
import { SecretError, type SecretBox } from '../../platform/secrets.ts';
import type { MailConfig, SlackAddresses } from './configuration.ts';
import type { Outbound } from '../../platform/outbound/index.ts';

const MAX_RECIPIENTS = 20;
const MIN_SECRET = 16;

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'Value should be an https:// URL' })
  .max(2_000)
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'Value must be text without NUL');

/** Posts to one Slack channel through an incoming webhook. Has no threads. */
const SlackWebhookChannel = z
  .strictObject({
    type: z.literal('slack_webhook'),
    url: httpUrl.meta({ description: 'The webhook URL that Slack shows. It is a secret.', writeOnly: true }),
  })
  .meta({ id: 'SlackWebhookChannel' });

/** Posts as a Slack bot, with related messages in one thread. */
const SlackChannel = z
  .strictObject({
    type: z.literal('slack'),
    bot_token: z
      .string()
      .regex(/^xoxb-[\w-]{10,250}$/, 'Value should be a bot token, which starts with xoxb-')
      .meta({ description: 'Needs the scope chat:write.', writeOnly: true }),
    channel: z
      .string()
      .regex(/^#?[\p{L}\p{M}\p{N}_.-]{1,80}$/u, 'Value should be the id of a channel, or its name')
      .meta({ description: 'Id of the channel (C0123456789), or its name (#ops).' }),
  })
  .meta({ id: 'SlackChannel' });

const webhookSecret = z
  .string()
  .min(MIN_SECRET)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'Value should have printable ASCII characters only')
  .refine(
    (value) => !value.startsWith('whsec_') || z.base64().min(MIN_SECRET).safeParse(value.slice(6)).success,
    'The part after whsec_ should be Base64',
  );

/** Posts signed JSON according to the Standard Webhooks specification. */
const WebhookChannel = z
  .strictObject({
    type: z.literal('webhook'),
    url: httpUrl,
    secret: webhookSecret.optional().meta({
      description:
        'Signs the requests: Base64 after whsec_, or any text, whose bytes are the key. By default one is generated, and shown once.',
      writeOnly: true,
    }),
  })
  .meta({ id: 'WebhookChannel' });

const EmailChannel = z
  .strictObject({
    type: z.literal('email'),
    to: z.array(z.email().max(254)).min(1).max(MAX_RECIPIENTS),
  })
  .meta({ id: 'EmailChannel' });

/** The kinds of channels. */
export const CHANNEL_TYPES = ['slack', 'slack_webhook', 'webhook', 'email'] as const;

export const NotificationChannel = z
  .discriminatedUnion('type', [SlackChannel, SlackWebhookChannel, WebhookChannel, EmailChannel])
  .meta({ id: 'NotificationChannel' });
export type NotificationChannel = z.infer<typeof NotificationChannel>;

export type SlackChannel = z.infer<typeof SlackChannel>;
export type SlackWebhookChannel = z.infer<typeof SlackWebhookChannel>;
export type WebhookChannel = z.infer<typeof WebhookChannel> & { secret: string };
export type EmailChannel = z.infer<typeof EmailChannel>;

/** A complete channel: only such a one can be stored. */
export type CompleteChannel = SlackChannel | SlackWebhookChannel | WebhookChannel | EmailChannel;

/**
 * Generates the secret of a webhook that was set without one.
 * @returns `generatedSecret`: shown only once, to whoever sets the channel
 */
export function completeChannel(channel: NotificationChannel): { channel: CompleteChannel; generatedSecret?: string } {
  if (channel.type === 'email') return { channel: { ...channel, to: [...new Set(channel.to)] } };
  if (channel.type !== 'webhook') return { channel };
  if (channel.secret !== undefined) return { channel: { ...channel, secret: channel.secret } };
  const generatedSecret = `whsec_${randomBytes(32).toString('base64')}`;
  return { channel: { ...channel, secret: generatedSecret }, generatedSecret };
}

/** A channel as stored. */
export interface StoredChannel {
  type: NotificationChannel['type'];
  /** For people, without secrets: "#ops in Slack". */
  label: string;
  /** The whole channel, sealed with the team's id as context. */
  sealed: string;
}

/** A value sealed for another purpose or another team cannot be opened as this team's channel. */
export const channelContext = (teamId: string): string => `notification channel of ${teamId}`;

export function sealChannel(box: SecretBox, teamId: string, channel: CompleteChannel): StoredChannel {
  return {
    type: channel.type,
    label: labelOf(channel),
    sealed: box.seal(JSON.stringify(channel), channelContext(teamId)),
  };
}

/** @throws {SecretError} when the key differs, or it was sealed for another team */
export function openChannel(box: SecretBox, teamId: string, stored: StoredChannel): CompleteChannel {
  const text = box.open(stored.sealed, channelContext(teamId));
  const parsed = NotificationChannel.safeParse(JSON.parse(text));
  // Not the parser's own message, which quotes the secret input.
  if (!parsed.success) throw new SecretError('The sealed value is not a channel of this version.');
  return completeChannel(parsed.data).channel;
}

/** A channel as responses show it. */
export function presentChannel<T extends StoredChannel | null>(
  channel: T,
): Pick<StoredChannel, 'type' | 'label'> | Extract<T, null> {
  return channel && { type: channel.type, label: channel.label };
}

function labelOf(channel: CompleteChannel): string {
  if (channel.type === 'slack') return `${channel.channel} in Slack`;
  // The whole path of the URL is the credential.
  if (channel.type === 'slack_webhook') return 'Slack, by an incoming webhook';
  if (channel.type === 'webhook') return `webhook at ${new URL(channel.url).host}`;
  const [first = '', ...others] = channel.to;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

export interface ChannelCapabilities {
  outbound: Outbound;
  slack: SlackAddresses;
  mail?: MailConfig;
}

export interface ChannelProblem {
  /** The path of the problem within the channel. */
  path: string[];
  message: string;
}

/** Why mail is unavailable, for whoever sets a channel or reads why a notification failed. */
export const NO_MAIL = 'Email is not configured. Set CASEBOOK_SMTP_URL and CASEBOOK_MAIL_FROM on the server.';

/** Whether a URL is an incoming webhook of Slack, or of the server that the configuration names instead. */
export function isSlackWebhookUrl(url: string, { hooksUrl }: SlackAddresses): boolean {
  const parsed = URL.parse(url);
  return (
    parsed !== null &&
    parsed.origin === new URL(hooksUrl).origin &&
    parsed.username === '' &&
    parsed.password === '' &&
    parsed.pathname.startsWith('/services/')
  );
}

/**
 * All problems of a channel in this installation, for the person who sets it. Does not resolve names: every request
 * checks where a name leads.
 */
export function channelProblems(channel: NotificationChannel, capabilities: ChannelCapabilities): ChannelProblem[] {
  switch (channel.type) {
    case 'slack_webhook': {
      if (isSlackWebhookUrl(channel.url, capabilities.slack)) return [];
      const { href } = new URL('/services/', capabilities.slack.hooksUrl);
      return [{ path: ['url'], message: `The URL of an incoming webhook begins with ${href}` }];
    }
    case 'webhook': {
      const message = capabilities.outbound.urlProblem(channel.url);
      return message === undefined ? [] : [{ path: ['url'], message }];
    }
    case 'email':
      return capabilities.mail ? [] : [{ path: ['type'], message: NO_MAIL }];
    default:
      return [];
  }
}

/**
 * A channel that this installation can send to.
 * @param at where it is in the body
 * @throws {InvalidRequest} with all problems
 */
export function acceptedChannel(
  capabilities: ChannelCapabilities,
  channel: NotificationChannel,
  at: readonly string[],
): NotificationChannel {
  const problems = channelProblems(channel, capabilities);
  if (problems.length === 0) return channel;
  throw new InvalidRequest(
    problems.map(({ path, message }) => ({
      type: 'value_error',
      loc: ['body', ...at, ...path],
      msg: message,
      // Omits the input, which contains secrets.
      input: null,
    })),
  );
}

/** A channel as stored. @returns also the generated secret, if any */
export function storeChannel(
  box: SecretBox,
  teamId: string,
  given: NotificationChannel,
): { stored: StoredChannel; generatedSecret?: string } {
  const { channel, generatedSecret } = completeChannel(given);
  return { stored: sealChannel(box, teamId, channel), generatedSecret };
}
