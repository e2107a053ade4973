/** A notification in Block Kit. https://docs.slack.dev/reference/block-kit/blocks */
import type { KnownBlock } from '@slack/web-api';
import { MOST_MARKDOWN } from '../markdown.ts';
import type { NotificationMessage } from '../port.ts';
import { clip, linksOf, oneLine, plainText, signOf } from '../wording.ts';
import { escapeSlack, slackLink, toMrkdwn, type MrkdwnBlock } from './mrkdwn.ts';
import { toSections } from './sections.ts';

/** Slack's own limits. */
const MOST_IN_HEADER = 150;
const MOST_IN_SECTION = 3_000;
const MOST_LINKS = 5;
/** Below what Slack takes in all blocks together (it refuses from about 13,000 characters on). */
const MOST_IN_REPORT = 9_000;
const MOST_IN_TEXT = 2_800;

export interface SlackMessage {
  /** For where no blocks are shown: notifications, screen readers. */
  text: string;
  blocks: KnownBlock[];
}

/** @param about the title of the finding, where no thread says what this belongs to */
export function toSlackMessage(message: NotificationMessage, about?: string): SlackMessage {
  const title = oneLine(message.title, MOST_IN_HEADER - 4);
  const links = linksOf(message);
  const text = plainText(message.text, MOST_IN_TEXT);
  const body: MrkdwnBlock[] = text === '' ? [] : [{ text: escapeSlack(text), code: false }];
  const summary = toSections(body, MOST_IN_SECTION, MOST_IN_SECTION);
  const report = toSections(toMrkdwn(message.markdown ?? ''), MOST_IN_SECTION, MOST_IN_REPORT);
  return {
    text: `${signOf(message)} ${escapeSlack(title)}`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headerText(message, title), emoji: false } },
      ...(about === undefined || about === message.title
        ? []
        : [context(`About: ${escapeSlack(oneLine(about, 300))}`)]),
      ...summary.sections.map(section),
      ...report.sections.map(section),
      ...(report.isCut || summary.isCut || (message.markdown?.length ?? 0) > MOST_MARKDOWN
        ? [context(cutNotice(links))]
        : []),
      ...(links.length === 0 ? [] : [buttons(links.slice(0, MOST_LINKS))]),
      context(footer(message)),
    ],
  };
}

/** Slack does not look for mentions in plain text; breaking them up makes sure of it. */
const headerText = (message: NotificationMessage, title: string): string =>
  `${signOf(message)} ${title.replaceAll(/<(?=[@#!])/g, '‹') || 'Casebook'}`;

/** `verbatim`: what looks like a URL or a channel's name is not made a link of. */
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: true }) as const;
const section = (text: string): KnownBlock => ({ type: 'section', text: mrkdwn(text) });
const context = (text: string): KnownBlock => ({ type: 'context', elements: [mrkdwn(text)] });

function buttons(links: { label: string; url: string }[]): KnownBlock {
  return {
    type: 'actions',
    elements: links.map(({ label, url }, index) => ({
      type: 'button',
      text: { type: 'plain_text', text: label, emoji: false },
      url,
      action_id: `link_${index}`,
    })),
  };
}

function cutNotice([first]: { label: string; url: string }[]): string {
  return first === undefined
    ? 'The report is longer than fits here.'
    : `The report is longer than fits here. All of it: ${slackLink(first.url, first.label)}`;
}

function footer({ agent, agentId, severity, at }: NotificationMessage): string {
  const time = new Date(at);
  const name = escapeSlack(oneLine(agent, 200) || clip(agentId, 50));
  // Shown in the time zone of whoever reads it.
  return `${name} · ${severity} · <!date^${Math.floor(at / 1_000)}^{date_short_pretty} {time}|${time.toISOString()}>`;
}
