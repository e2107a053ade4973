/** A notification as the HTML of a mail: its text contains no markup and loads nothing. */
import { Marked, type Tokens } from 'marked';
import { decodeReferences, isNestedTooDeeply, MAX_MARKDOWN } from '../text.ts';
import type { NotificationMessage } from '../port.ts';
import { linksOf, plainText, signOf, webLink } from '../text.ts';

const MAX_CHARACTERS = 60_000;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const anchor = (url: string, label: string): string =>
  `<a href="${escapeHtml(url)}" rel="noopener noreferrer">${escapeHtml(label)}</a>`;

/** A label that hides its target is followed by the target. */
function link({ href, text }: Pick<Tokens.Link, 'href' | 'text'>): string {
  const label = decodeReferences(text);
  const url = webLink(decodeReferences(href));
  if (url === undefined) return escapeHtml(label);
  return label === href || label === url ? anchor(url, url) : `${escapeHtml(label)} (${anchor(url, url)})`;
}

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ raw }) => escapeHtml(raw),
    link: (token) => link(token),
    // An image would reveal to its host that, when and where the mail is read.
    image: ({ href, text }) => link({ href, text: text || href }),
  },
});

/** @param title the subject */
export function toHtml(message: NotificationMessage, title: string): string {
  const text = plainText(message.text, MAX_CHARACTERS);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body style="font-family: sans-serif">',
    `<h2>${signOf(message)} ${escapeHtml(title)}</h2>`,
    `<p style="white-space: pre-wrap">${escapeHtml(text)}</p>`,
    message.markdown === undefined ? '' : `<hr>${markdownHtml(message.markdown)}${cut(message.markdown)}<hr>`,
    ...linksOf(message).map(({ label, url }) => `<p>${anchor(url, label)}</p>`),
    `<p style="color: #666">${escapeHtml(footerOf(message))}</p>`,
    '</body></html>',
  ].join('\n');
}

export const footerOf = ({ sender, severity, at }: NotificationMessage): string =>
  `${sender.title} · ${severity} · ${new Date(at).toISOString()}`;

const cut = (markdown: string): string =>
  markdown.length <= MAX_MARKDOWN ? '' : '<p>The report is too long to fit here.</p>';

function markdownHtml(markdown: string): string {
  const text = plainText(markdown, MAX_MARKDOWN);
  const asItIs = `<pre style="white-space: pre-wrap">${escapeHtml(text)}</pre>`;
  if (isNestedTooDeeply(text)) return asItIs;
  try {
    return marked.parse(text, { async: false });
  } catch {
    return asItIs;
  }
}
