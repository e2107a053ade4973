/** A real SMTP server that keeps what it was sent. */
import { once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { callbackify } from 'node:util';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { addressOf } from './address.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** As it came over the wire. */
  raw: string;
  parsed: Email;
}

export interface MailServer {
  port: number;
  mails: ReceivedMail[];
  stop(): Promise<void>;
}

/** An SMTP answer: smtp-server sends the code and the text. */
export const smtpError = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const keep = callbackify(async (stream: SMTPServerDataStream, { envelope }: SMTPServerSession) => {
    const raw = Buffer.concat(await stream.toArray()).toString('utf8');
    mails.push({
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      to: envelope.rcptTo.map(({ address }) => address),
      raw,
      parsed: await PostalMime.parse(raw),
    });
  });
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    logger: false,
    ...options,
    onData(stream, session, done) {
      keep(stream, session, done);
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: addressOf(server.server).port,
    mails,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
