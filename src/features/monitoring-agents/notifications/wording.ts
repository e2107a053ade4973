/** What the channels have in common in how a message looks. */
import type { NotificationMessage } from './port.ts';

const SEVERITY_SIGNS = { critical: '🔴', warning: '🟠', info: '🔵' } as const;
const OVER = '🟢';

/** A sign before the title: how bad it is, or that it is over. */
export function signOf({ event, severity }: NotificationMessage): string {
  return event === 'resolved' ? OVER : SEVERITY_SIGNS[severity];
}

/** One line without what terminals, headers and readers would take for more than text. */
export function oneLine(text: string, most: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return clip(line, most);
}

/** At most so many UTF-16 units, with an ellipsis where something is left out; never half a character. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Text of several lines without control characters. */
export function plainText(text: string, most: number): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/gu, '\n')
    // Bidirectional overrides would show text in another order than it has.
    .replaceAll(/(?!\n|\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
  return clip(clean.trim(), most);
}

/** The URL, if it is one that a person may be asked to open. */
export function webLink(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    return undefined;
  return parsed.href;
}

/** The links of a message that can be opened. */
export function linksOf({ links }: NotificationMessage): { label: string; url: string }[] {
  return links.flatMap(({ label, url }) => {
    const href = webLink(url);
    return href === undefined ? [] : [{ label: oneLine(label, 75) || 'Open', url: href }];
  });
}
