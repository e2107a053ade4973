import { createTransport } from 'nodemailer';
import type { MailConfig } from '../configuration.ts';
import type { EmailChannel } from '../channel.ts';
import { DeliveryError, type SendNotification } from '../port.ts';
import { oneLine } from '../text.ts';
import { toMail } from './mail.ts';

/** For the connection and the greeting; the attempt's own limit is for what follows, which may be a scan of the mail. */
const CONNECT_MS = 8_000;

/** The relevant members of an SMTP failure, by nodemailer's names. */
interface SmtpFailure {
  code?: string;
  responseCode?: number;
  response?: string;
  /** The rejected recipient. */
  recipient?: string;
  rejectedErrors?: SmtpFailure[];
}

export function createEmail(channel: EmailChannel, mail: MailConfig): SendNotification {
  return async (delivery) => {
    const { thread, ...content } = toMail(delivery, mail.from);
    const transport = createTransport({
      url: mail.smtpUrl,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      // Never reads files or URLs named in a message.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      const sent = await transport.sendMail({
        ...content,
        from: mail.from,
        // As objects, so that no parser reads one address as two.
        to: channel.to.map((address) => ({ name: '', address })),
        signal: delivery.signal,
      });
      const refused = sent.rejectedErrors ?? [];
      if (refused.length > 0) throw partlyRefused(refused, channel.to.length);
      return { thread, receipt: `mail ${sent.messageId} to ${sent.accepted.length} of ${channel.to.length}` };
    } catch (error) {
      if (error instanceof DeliveryError || delivery.signal.aborted) throw error;
      throw fromSmtp(isFailure(error) ? error : {});
    } finally {
      transport.close();
    }
  };
}

const isFailure = (error: unknown): error is SmtpFailure => error instanceof Error;

/** RFC 5321, 4.2.1: 4yz is transient, 5yz permanent. */
const isTransient = ({ responseCode }: SmtpFailure): boolean =>
  responseCode === undefined || (responseCode >= 400 && responseCode < 500);

function fromSmtp(failure: SmtpFailure): DeliveryError {
  const refused = failure.rejectedErrors ?? [];
  if (refused.length > 0) {
    return new DeliveryError(`The mail server rejected every recipient: ${describe(refused)}.`, {
      retryable: refused.some(isTransient),
    });
  }
  if (failure.code === 'EAUTH') {
    // Not the server's own message, which may repeat the credentials.
    return new DeliveryError('The mail server did not accept the user and password of CASEBOOK_SMTP_URL.', {
      retryable: failure.responseCode !== undefined && isTransient(failure),
    });
  }
  if (failure.responseCode !== undefined) {
    return new DeliveryError(`The mail server refused the mail: ${said(failure)}.`, {
      retryable: isTransient(failure),
    });
  }
  const code = typeof failure.code === 'string' && /^[A-Z0-9_]+$/.test(failure.code) ? ` (${failure.code})` : '';
  return new DeliveryError(`The mail server could not be reached, or violated the protocol${code}.`, {
    retryable: true,
  });
}

/** Some recipients got it: they may get it again (under the same Message-ID), so that the others get it at all. */
function partlyRefused(refused: SmtpFailure[], count: number): DeliveryError {
  return new DeliveryError(
    `The mail server accepted ${count - refused.length} of ${count} recipients, but rejected ${describe(refused)}.`,
    { retryable: refused.some(isTransient) },
  );
}

const describe = (refused: SmtpFailure[]): string =>
  refused.map((failure) => `${failure.recipient ?? 'a recipient'} (${said(failure)})`).join(', ');

const said = ({ response, responseCode }: SmtpFailure): string => oneLine(response ?? String(responseCode ?? ''), 200);
