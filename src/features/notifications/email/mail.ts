/** A notification as a mail: what stands in its headers and its texts. Pure. */
import { createHash } from 'node:crypto';
import type { Delivery, ThreadRef } from '../port.ts';
import { linksOf, oneLine, plainText } from '../text.ts';
import { footerOf, toHtml } from './html.ts';

const MAX_CHARACTERS = 60_000;

export interface Mail {
  subject: string;
  text: string;
  html: string;
  messageId: string;
  inReplyTo?: string;
  references?: string;
  headers: Record<string, string>;
  /** For the next notification of the same thing. */
  thread: ThreadRef;
}

/** @param from of the configuration: its domain is that of the message ids */
export function toMail({ idempotencyKey, message, thread }: Delivery, from: string): Mail {
  const title = oneLine(message.title, 200) || 'Casebook';
  const messageId = messageIdOf(idempotencyKey, from);
  const { messageId: root, subject } = thread ?? {};
  // Readers show as one conversation what refers to the same mail and has the same subject.
  const about = subject ?? title;
  const replies = root !== undefined && root !== messageId;
  return {
    subject: replies ? `Re: [Casebook] ${about}` : `[Casebook] ${about}`,
    text: textOf(message, title),
    html: toHtml(message, title),
    messageId,
    ...(replies ? { inReplyTo: root, references: root } : {}),
    headers: {
      // RFC 3834: nobody's holiday answers this.
      'Auto-Submitted': 'auto-generated',
      'X-Casebook-Event': message.event,
      'X-Casebook-Idempotency-Key': encodeURIComponent(idempotencyKey.toWellFormed()).slice(0, 200),
    },
    thread: { messageId: root ?? messageId, subject: about },
  };
}

/** The same for every attempt: many a mailbox drops the second mail of an id. */
export function messageIdOf(idempotencyKey: string, from: string): string {
  const domain = /@([^\s<>@]+?)>?$/.exec(from)?.[1] ?? 'localhost';
  return `<${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40)}@${domain}>`;
}

function textOf(message: Delivery['message'], title: string): string {
  const parts = [
    title,
    plainText(message.text, MAX_CHARACTERS),
    message.markdown === undefined ? '' : plainText(message.markdown, MAX_CHARACTERS),
    linksOf(message)
      .map(({ label, url }) => `${label}: ${url}`)
      .join('\n'),
    `-- \n${footerOf(message)}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}
