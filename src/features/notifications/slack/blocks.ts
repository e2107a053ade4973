/** A notification in Block Kit. https://docs.slack.dev/reference/block-kit/blocks */
import type { KnownBlock } from '@slack/web-api';
import type { NotificationMessage } from '../port.ts';
import { clip, linksOf, MAX_MARKDOWN, oneLine, plainText, signOf } from '../text.ts';
import { escapeSlack, slackLink, toMrkdwn, type MrkdwnBlock } from './mrkdwn.ts';

/** Slack's own limits. */
const MAX_IN_HEADER = 150;
const MAX_IN_SECTION = 3_000;
const MAX_LINKS = 5;
/** Below Slack's limit for all blocks together (about 13,000 characters). */
const MAX_IN_REPORT = 9_000;
const MAX_IN_TEXT = 2_800;

export interface SlackMessage {
  /** For clients that show no blocks: notifications, screen readers. */
  text: string;
  blocks: KnownBlock[];
}

/**
 * @param options.about the subject, if no thread shows it
 * @param options.isInteractive somebody hears when a button is pressed
 */
export function toSlackMessage(
  message: NotificationMessage,
  { about, isInteractive = false }: { about?: string | undefined; isInteractive?: boolean } = {},
): SlackMessage {
  const title = oneLine(message.title, MAX_IN_HEADER - 4);
  const links = linksOf(message);
  const text = plainText(message.text, MAX_IN_TEXT);
  const body: MrkdwnBlock[] = text === '' ? [] : [{ text: escapeSlack(text), code: false }];
  const summary = toSections(body, MAX_IN_SECTION, MAX_IN_SECTION);
  const report = toSections(toMrkdwn(message.markdown ?? ''), MAX_IN_SECTION, MAX_IN_REPORT);
  return {
    text: `${signOf(message)} ${escapeSlack(title)}`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headerText(message, title), emoji: false } },
      ...(about === undefined || about === message.title
        ? []
        : [context(`About: ${escapeSlack(oneLine(about, 300))}`)]),
      ...summary.sections.map(section),
      ...report.sections.map(section),
      ...(report.isCut || summary.isCut || (message.markdown?.length ?? 0) > MAX_MARKDOWN
        ? [context(cutNotice(links))]
        : []),
      ...(isInteractive && message.buttons?.length ? [pressable(message.buttons)] : []),
      ...(links.length === 0 ? [] : [buttons(links.slice(0, MAX_LINKS))]),
      context(footer(message)),
    ],
  };
}

/** Slack does not look for mentions in plain text; breaking them up makes sure. */
const headerText = (message: NotificationMessage, title: string): string =>
  `${signOf(message)} ${title.replaceAll(/<(?=[@#!])/g, '‹') || 'Casebook'}`;

/** `verbatim`: no links from what looks like a URL or a channel's name. */
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

function pressable(pressed: NonNullable<NotificationMessage['buttons']>): KnownBlock {
  return {
    type: 'actions',
    elements: pressed.map(({ action, value, label }) => ({
      type: 'button',
      text: { type: 'plain_text', text: label, emoji: false },
      action_id: action,
      value,
    })),
  };
}

function cutNotice([first]: { label: string; url: string }[]): string {
  return first === undefined
    ? 'The report is too long to fit here.'
    : `The report is too long to fit here. Full report: ${slackLink(first.url, first.label)}`;
}

function footer({ sender, severity, at }: NotificationMessage): string {
  const time = new Date(at);
  const name = escapeSlack(oneLine(sender.title, 200) || clip(sender.id, 50));
  // Shown in the reader's time zone.
  return `${name} · ${severity} · <!date^${Math.floor(at / 1_000)}^{date_short_pretty} {time}|${time.toISOString()}>`;
}

/** Splits a report into sections that Slack accepts. */

const FENCE = '```';
/** An indivisible piece: a link, a character reference, a character. */
const UNIT = /<[^<>]*>|&(?:amp|lt|gt);|./gsu;

export interface Sections {
  sections: string[];
  /** Some text was dropped. */
  isCut: boolean;
}

/**
 * Texts of at most `mostEach` characters each and `mostTotal` in total, in the order of the blocks. Cuts between
 * blocks, else between lines, else between characters; code keeps its fences.
 */
export function toSections(blocks: readonly MrkdwnBlock[], mostEach: number, mostTotal: number): Sections {
  const pieces = blocks.flatMap((block) => divide(block, mostEach));
  const sections: string[] = [];
  let total = 0;
  for (const piece of pieces) {
    const last = sections.at(-1);
    const joined = last === undefined ? undefined : `${last}\n${piece}`;
    const fits = joined !== undefined && joined.length <= mostEach;
    total += piece.length + (fits ? 1 : 0);
    if (total > mostTotal) return { sections, isCut: true };
    if (fits) sections[sections.length - 1] = joined;
    else sections.push(piece);
  }
  return { sections, isCut: false };
}

function divide({ text, code }: MrkdwnBlock, most: number): string[] {
  const frame = (part: string): string => (code ? `${FENCE}\n${part}\n${FENCE}` : part);
  // A fence within would end the code early, and Slack would interpret the rest as markup.
  const content = code ? text.replaceAll(FENCE, "'''") : text;
  const room = most - frame('').length;
  const parts: string[] = [];
  let part = '';
  for (const line of content.split('\n').flatMap((whole) => cutLine(whole, room))) {
    if (part !== '' && part.length + 1 + line.length > room) {
      parts.push(part);
      part = line;
    } else {
      part = part === '' ? line : `${part}\n${line}`;
    }
  }
  return [...parts, part].filter((each) => each.trim() !== '').map(frame);
}

function cutLine(line: string, room: number): string[] {
  if (line.length <= room) return [line];
  const parts = [''];
  for (const [unit] of line.matchAll(UNIT)) {
    // A link that is longer than the whole limit cannot be cut, and is dropped.
    const fitting = unit.length <= room ? unit : '…';
    const last = parts.length - 1;
    if ((parts[last] ?? '').length + fitting.length > room) parts.push(fitting);
    else parts[last] += fitting;
  }
  return parts;
}
