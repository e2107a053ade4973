/** What a channel may be in this installation, which its form alone does not say. */
import type { MailConfig, SlackAddresses } from '../../../config.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { NotificationChannel } from './channel.ts';

export interface ChannelCapabilities {
  outbound: Outbound;
  slack: SlackAddresses;
  mail?: MailConfig;
}

export interface ChannelProblem {
  /** Within the channel. */
  path: string[];
  message: string;
}

/** Why there are no mails, for whoever sets a channel and for whoever reads why a notification failed. */
export const NO_MAIL =
  'This installation sends no mail: its operator has not set CASEBOOK_SMTP_URL and CASEBOOK_MAIL_FROM.';

/** Whether a URL is one of Slack's incoming webhooks, or of the server that the configuration names in its place. */
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
 * Everything that is wrong with a channel in this installation, for the person who sets it.
 * Asks no DNS: where a name leads is checked with each request.
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
