/** The last guard of secrets: whatever an error says, none of the channel's is in it. */
import type { MailConfig } from '../../../config.ts';
import type { CompleteChannel } from './channel.ts';

/** Shorter pieces are in every other word. */
const SHORTEST = 6;

/** Everything of a channel and of the mail server's URL that must not be read in errors. */
export function secretsOf(channel: CompleteChannel, mail: MailConfig | undefined): string[] {
  if (channel.type === 'slack') return [channel.bot_token];
  if (channel.type === 'slack_webhook') return urlSecrets(channel.url);
  if (channel.type === 'webhook') return [...urlSecrets(channel.url), channel.secret];
  return mail ? credentialsOf(mail.smtpUrl) : [];
}

/** @returns `text` with each secret replaced, the longest first */
export function scrub(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
}

/** Path and query, as a whole and in their parts. */
function urlSecrets(text: string): string[] {
  const { href, pathname, search, searchParams } = new URL(text);
  return [text, href, `${pathname}${search}`, pathname, ...pathname.split('/'), ...searchParams.values()];
}

function credentialsOf(smtpUrl: string): string[] {
  const { username, password } = new URL(smtpUrl);
  const plain = [username, password, decodeURIComponent(username), decodeURIComponent(password)];
  return [smtpUrl, ...plain, ...plain.map((part) => Buffer.from(part).toString('base64'))];
}
