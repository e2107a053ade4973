/** A notification as a mail: headers and texts. Pure. */
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
  /** For the next related notification. */
  thread: ThreadRef;
}

/** @param from the configured sender, whose domain is used for message ids */
export function toMail({ idempotencyKey, message, thread }: Delivery, from: string): Mail {
  const title = oneLine(message.title, 200) || 'Casebook';
  const messageId = messageIdOf(idempotencyKey, from);
  const { messageId: root, subject } = thread ?? {};
  // Mail readers thread messages that refer to the same mail and have the same subject.
  const about = subject ?? title;
  const replies = root !== undefined && root !== messageId;
  return {
    subject: replies ? `Re: [Casebook] ${about}` : `[Casebook] ${about}`,
    text: textOf(message, title),
    html: toHtml(message, title),
    messageId,
    ...(replies ? { inReplyTo: root, references: root } : {}),
    headers: {
      // RFC 3834: suppresses automatic replies.
      'Auto-Submitted': 'auto-generated',
      'X-Casebook-Event': message.event,
      'X-Casebook-Idempotency-Key': encodeURIComponent(idempotencyKey.toWellFormed()).slice(0, 200),
    },
    thread: { messageId: root ?? messageId, subject: about },
  };
}

/** The same for every attempt: many mailboxes drop a second mail with the same id. */
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
