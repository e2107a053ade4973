/** A channel as it is stored: sealed, and with a label that shows no secret. */
import { SecretError, type SecretBox } from '../../../platform/secrets/index.ts';
import type { StoredChannel } from '../entities.ts';
import { completeChannel, NotificationChannel, type CompleteChannel } from './channel.ts';

/** What was sealed for something else, or for another team, cannot be opened as a channel of this one. */
const contextOf = (teamId: string): string => `notification channel of ${teamId}`;

export function sealChannel(box: SecretBox, teamId: string, channel: CompleteChannel): StoredChannel {
  return {
    type: channel.type,
    label: labelOf(channel),
    sealed: box.seal(JSON.stringify(channel), contextOf(teamId)),
  };
}

/** @throws {SecretError} the key is another one, or it was sealed for another team */
export function openChannel(box: SecretBox, teamId: string, stored: StoredChannel): CompleteChannel {
  const text = box.open(stored.sealed, contextOf(teamId));
  const parsed = NotificationChannel.safeParse(JSON.parse(text));
  // Not the parser's own words: they quote what they refuse.
  if (!parsed.success) throw new SecretError('What was sealed is not a channel of this version.');
  return completeChannel(parsed.data).channel;
}

/** How responses show a channel. */
export function presentChannel<T extends StoredChannel | null>(
  channel: T,
): Pick<StoredChannel, 'type' | 'label'> | Extract<T, null> {
  return channel && { type: channel.type, label: channel.label };
}

function labelOf(channel: CompleteChannel): string {
  if (channel.type === 'slack') return `${channel.channel} in Slack`;
  // All of the URL's path is the credential.
  if (channel.type === 'slack_webhook') return 'Slack, by an incoming webhook';
  if (channel.type === 'webhook') return `webhook at ${new URL(channel.url).host}`;
  const [first = '', ...others] = channel.to;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
