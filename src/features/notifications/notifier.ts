/** Sends a notification to a stored channel. */
import type { MailConfig, SlackAddresses } from './configuration.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { SecretError, type SecretBox } from '../../platform/secrets.ts';
import { NO_MAIL, openChannel, type CompleteChannel, type StoredChannel } from './channel.ts';
import { createEmail } from './email/sender.ts';
import { DeliveryError, type Delivered, type Delivery, type SendNotification } from './port.ts';
import { createSlackBot, slackEmail } from './slack/bot.ts';
import { escapeSlack } from './slack/mrkdwn.ts';
import { createSlackWebhook } from './slack/incoming-webhook.ts';
import { createWebhook } from './webhook.ts';

/**
 * Timeout of one attempt, ms. A mail server may take minutes to answer (RFC 5321, 4.5.3.2.6); each attempt after a
 * timeout may send the same mail again.
 */
export const timeoutOf = ({ type }: Pick<StoredChannel, 'type'>): number => (type === 'email' ? 90_000 : 15_000);

export interface NotifierDeps {
  outbound: Outbound;
  box: SecretBox;
  slack: SlackAddresses;
  /** Undefined: mail cannot be sent. */
  mail?: MailConfig;
  clock: Clock;
  timeoutMs?: number;
}

export interface Notifier {
  /**
   * Sends a notification to a channel, once.
   * @throws {DeliveryError} whose message is for operators, without secrets; or the reason of `delivery.signal`
   */
  send(stored: StoredChannel, teamId: string, delivery: Delivery): Promise<Delivered>;
  /** The address of whoever pressed a button in a Slack channel. @throws {DeliveryError} */
  slackEmail(stored: StoredChannel, teamId: string, slackUserId: string): Promise<string | undefined>;
  /** Tells something to whoever pressed a button, and nobody else. Best effort. */
  replyInSlack(responseUrl: string, text: string): Promise<void>;
}

/** Slack waits three seconds for the answer to a press. */
const PRESS_TIMEOUT_MS = 2_000;

export function createNotifier(deps: NotifierDeps): Notifier {
  // Only the operator's configured addresses, or Slack's.
  const toSlack = deps.outbound.allowing([deps.slack.apiUrl, deps.slack.hooksUrl]);
  const { apiUrl, hooksUrl, signingSecret } = deps.slack;
  const senderOf = (channel: CompleteChannel): SendNotification => {
    if (channel.type === 'slack')
      return createSlackBot(channel, { apiUrl, outbound: toSlack, isInteractive: signingSecret !== undefined });
    if (channel.type === 'slack_webhook') return createSlackWebhook(channel, { ...deps, outbound: toSlack });
    if (channel.type === 'webhook') return createWebhook(channel, deps);
    if (deps.mail === undefined) throw new DeliveryError(NO_MAIL, { retryable: false });
    return createEmail(channel, deps.mail);
  };
  return {
    async send(stored, teamId, delivery) {
      delivery.signal.throwIfAborted();
      const channel = open(deps.box, teamId, stored);
      try {
        const timeoutMs = deps.timeoutMs ?? timeoutOf(stored);
        return await within(timeoutMs, delivery.signal, (signal) => senderOf(channel)({ ...delivery, signal }));
      } catch (error) {
        delivery.signal.throwIfAborted();
        throw withoutSecrets(error, secretsOf(channel, deps.mail));
      }
    },
    async slackEmail(stored, teamId, slackUserId) {
      const channel = open(deps.box, teamId, stored);
      if (channel.type !== 'slack') return undefined;
      try {
        const signal = AbortSignal.timeout(PRESS_TIMEOUT_MS);
        return await slackEmail(channel, slackUserId, { apiUrl, outbound: toSlack, signal });
      } catch (error) {
        throw withoutSecrets(error, secretsOf(channel, deps.mail));
      }
    },
    async replyInSlack(responseUrl, text) {
      if (new URL(responseUrl).origin !== new URL(hooksUrl).origin) return;
      const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, text: escapeSlack(text) });
      const headers = { 'content-type': 'application/json' };
      const signal = AbortSignal.timeout(PRESS_TIMEOUT_MS);
      await toSlack.fetch(responseUrl, { method: 'POST', headers, body, signal }).catch(() => undefined);
    },
  };
}

/** Runs `work` until it ends, the time is up, or `outer` is aborted, even if `work` ignores its signal. */
async function within<T>(ms: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<never>();
  stopping.signal.addEventListener('abort', () => stopped.reject(stopping.signal.reason), { once: true });
  const late = new DeliveryError(`The channel did not accept the notification within ${ms / 1_000} seconds.`, {
    retryable: true,
    timedOut: true,
  });
  const timer = setTimeout(() => stopping.abort(late), ms);
  const stop = (): void => stopping.abort(outer.reason);
  outer.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(stopping.signal), stopped.promise]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', stop);
  }
}

/** A new error: the clients' own errors carry requests and URLs, which would be stored. */
function withoutSecrets(error: unknown, secrets: readonly string[]): DeliveryError {
  if (!(error instanceof DeliveryError)) {
    const name = error instanceof Error ? scrub(error.name, secrets) : 'unknown';
    return new DeliveryError(`The notification could not be sent (${name}).`, { retryable: true });
  }
  const { retryable, retryAfterMs, timedOut } = error;
  return new DeliveryError(scrub(error.message, secrets), { retryable, retryAfterMs, timedOut });
}

function open(box: SecretBox, teamId: string, stored: StoredChannel): CompleteChannel {
  try {
    return openChannel(box, teamId, stored);
  } catch (error) {
    const why = error instanceof SecretError ? error.message : 'The sealed value is not a channel.';
    throw new DeliveryError(`The channel cannot be decrypted; it may have to be set again. ${why}`, {
      retryable: false,
    });
  }
}

/** Shorter pieces occur in ordinary words. */
const MIN_SCRUBBED = 6;

/** All secrets of a channel and of the mail server's URL, to be kept out of errors: the last guard. */
function secretsOf(channel: CompleteChannel, mail: MailConfig | undefined): string[] {
  if (channel.type === 'slack') return [channel.bot_token];
  if (channel.type === 'slack_webhook') return urlSecrets(channel.url);
  if (channel.type === 'webhook') return [...urlSecrets(channel.url), channel.secret];
  return mail ? credentialsOf(mail.smtpUrl) : [];
}

/** @returns `text` with every secret replaced, the longest first */
function scrub(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_SCRUBBED)
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
}

/** Path and query, whole and in parts. */
function urlSecrets(text: string): string[] {
  const { href, pathname, search, searchParams } = new URL(text);
  return [text, href, `${pathname}${search}`, pathname, ...pathname.split('/'), ...searchParams.values()];
}

function credentialsOf(smtpUrl: string): string[] {
  const { username, password } = new URL(smtpUrl);
  const plain = [username, password, decodeURIComponent(username), decodeURIComponent(password)];
  return [smtpUrl, ...plain, ...plain.map((part) => Buffer.from(part).toString('base64'))];
}
