import { z } from 'zod';
import { optional, webUrl, withDefault } from '../../config.ts';

export interface SlackAddresses {
  /** Base URL of the Web API's methods, with a trailing slash. */
  apiUrl: string;
  /** The origin of incoming webhooks. */
  hooksUrl: string;
  /** Verifies what Slack sends when people press buttons; undefined: messages have none. */
  signingSecret?: string;
}

export interface MailConfig {
  /** `smtp://` or `smtps://`, with credentials if the server wants them. */
  smtpUrl: string;
  /** An address, or `Name <address>`. */
  from: string;
}

export interface NotificationSettings {
  /** Where Slack is; Slack's own addresses by default. */
  slack: SlackAddresses;
  /** How mail is sent; undefined disables it. */
  mail?: MailConfig;
}

const smtpUrl = z.url({ protocol: /^smtps?$/, error: 'must be a URL like smtp://user:password@host:587' });
/** An address, or a name followed by the address in angle brackets. */
const mailbox = z
  .string()
  .regex(
    /^(?:[^<>@"\r\n,;]+<[^\s<>@",;]+@[^\s<>@",;]+>|[^\s<>@",;]+@[^\s<>@",;]+)$/,
    'must look like Casebook <casebook@example.com>',
  );

export const configuration = z
  .object({
    CASEBOOK_SLACK_API_URL: withDefault(webUrl, 'https://slack.com/api/'),
    CASEBOOK_SLACK_HOOKS_URL: withDefault(webUrl, 'https://hooks.slack.com/'),
    CASEBOOK_SLACK_SIGNING_SECRET: optional(z.string().min(16).max(200)),
    CASEBOOK_SMTP_URL: optional(smtpUrl),
    CASEBOOK_MAIL_FROM: optional(mailbox),
  })
  .refine((e) => e.CASEBOOK_SMTP_URL === undefined || e.CASEBOOK_MAIL_FROM !== undefined, {
    path: ['CASEBOOK_MAIL_FROM'],
    error: 'must be set if CASEBOOK_SMTP_URL is',
  })
  .transform((e): NotificationSettings => ({
    slack: {
      apiUrl: e.CASEBOOK_SLACK_API_URL.replace(/\/*$/, '/'),
      hooksUrl: e.CASEBOOK_SLACK_HOOKS_URL,
      signingSecret: e.CASEBOOK_SLACK_SIGNING_SECRET,
    },
    mail:
      e.CASEBOOK_SMTP_URL === undefined || e.CASEBOOK_MAIL_FROM === undefined
        ? undefined
        : { smtpUrl: e.CASEBOOK_SMTP_URL, from: e.CASEBOOK_MAIL_FROM },
  }));
