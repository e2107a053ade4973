/** The forms of the notification channels. */
import type { Schema } from '../../../api/client.ts';

export type ChannelType = NonNullable<Schema<'NotificationChannelSummary'>>['type'];
export type Channel = Exclude<Schema<'UpdateAgentChannelRequest'>['notification_channel'], null | undefined>;

export interface ChannelField {
  name: string;
  label: string;
  hint?: string;
  placeholder?: string;
  /** Never shown again once set. */
  isSecret?: true;
  isOptional?: true;
  /** One value per line. */
  isList?: true;
}

export const CHANNEL_FORMS: Record<ChannelType, { title: string; fields: readonly ChannelField[] }> = {
  slack: {
    title: 'Slack bot',
    fields: [
      {
        name: 'bot_token',
        label: 'Bot token',
        hint: 'Starts with xoxb-. Needs the scope chat:write.',
        placeholder: 'xoxb-…',
        isSecret: true,
      },
      { name: 'channel', label: 'Channel', hint: 'Name (#ops) or ID.', placeholder: '#ops' },
    ],
  },
  slack_webhook: {
    title: 'Slack incoming webhook',
    fields: [
      {
        name: 'url',
        label: 'Webhook URL',
        hint: 'Copy it from Slack. Treat it as a secret.',
        placeholder: 'https://hooks.slack.com/services/…',
        isSecret: true,
      },
    ],
  },
  webhook: {
    title: 'Signed webhook',
    fields: [
      { name: 'url', label: 'URL', placeholder: 'https://hooks.example.com/casebook' },
      {
        name: 'secret',
        label: 'Signing secret',
        hint: 'Leave empty to generate one, which is shown once.',
        isSecret: true,
        isOptional: true,
      },
    ],
  },
  email: {
    title: 'Email',
    fields: [{ name: 'to', label: 'Recipients', hint: 'One address per line, at most 20.', isList: true }],
  },
};

export const CHANNEL_TYPES: readonly ChannelType[] = ['slack', 'slack_webhook', 'webhook', 'email'];

/** The form's values as the API takes them, without empty optional ones. */
export function channelOf(type: ChannelType, written: Readonly<Record<string, string>>): Channel {
  const members = CHANNEL_FORMS[type].fields.flatMap(({ name, isList, isOptional }): [string, string | string[]][] => {
    const text = (written[name] ?? '').trim();
    if (isList) return [[name, text.split(/[\s,;]+/).filter((each) => each !== '')]];
    return text === '' && isOptional ? [] : [[name, text]];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API says what is wrong with it
  return { type, ...Object.fromEntries(members) } as unknown as Channel;
}

/** The issue of a channel's field or, without a name, of the channel. */
export function channelIssue(issues: readonly { path: string; message: string }[], name?: string): string | undefined {
  const known = (path: string): string => path.split('.')[1] ?? '';
  const fields = new Set(Object.values(CHANNEL_FORMS).flatMap((form) => form.fields.map((field) => field.name)));
  const found = issues.filter(({ path }) => (name === undefined ? !fields.has(known(path)) : known(path) === name));
  return found.length === 0 ? undefined : found.map(({ message }) => message).join('. ');
}

/** The outcome of a test, as a sentence. */
export function outcomeWords({ delivered, receipt, error }: Schema<'NotificationChannelTestResponse'>): string {
  if (!delivered) return `Not delivered: ${error ?? 'the receiver gave no reason.'}`;
  return receipt === null || receipt === '' ? 'Delivered.' : `Delivered. Response: ${receipt}`;
}
