import type { IncomingMessage } from 'node:http';
import { PayloadTooLarge, type ValidationIssue } from '../errors.ts';
import { guardJson } from './json-guard.ts';

/** A request's body: its bytes, and the JSON in them or the issues that keep it from being JSON. */
export interface ReceivedBody {
  raw: Buffer;
  /** Undefined when the body is empty. */
  json: unknown;
  issues: ValidationIssue[];
}

/** How much of a body that is refused is still read, and for how long, before the connection is closed. */
const LINGER_BYTES = 4 * 1_048_576;
const LINGER_MS = 1_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body. Compressed bodies are refused, so that the limit is a limit on memory too.
 * @param limitBytes most bytes that are read; a declared longer body is refused before any
 * @throws {PayloadTooLarge}
 */
export async function readJsonBody(req: IncomingMessage, limitBytes: number): Promise<ReceivedBody> {
  const raw = await readBytes(req, limitBytes);
  if (raw.length === 0) return { raw, json: undefined, issues: [] };
  const issues = mediaIssues(req.headers);
  if (issues.length > 0) return { raw, json: undefined, issues };
  let text: string;
  try {
    text = utf8.decode(raw);
  } catch {
    return { raw, json: undefined, issues: [jsonInvalid(0, 'the body is not valid UTF-8')] };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = Number(/at position (\d+)/.exec(message)?.[1] ?? (/end of JSON/.test(message) ? text.length : 0));
    return { raw, json: undefined, issues: [jsonInvalid(position, 'the body is not valid JSON')] };
  }
  return { raw, json, issues: guardJson(json, 'body') };
}

function readBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  const chunks: Buffer[] = [];
  let size = 0;
  let refused = false;
  // Not `for await`: leaving that loop early destroys the socket before the 413 is written.
  return new Promise((resolve, reject) => {
    let linger: NodeJS.Timeout | undefined;
    const settle = (outcome: () => void) => {
      clearTimeout(linger);
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      outcome();
    };
    const tooLarge = () => settle(() => reject(new PayloadTooLarge(limitBytes)));
    /** A client that is still sending would see its connection reset instead of the 413, so a bounded rest is read and dropped. */
    const refuse = () => {
      refused = true;
      chunks.length = 0;
      linger = setTimeout(tooLarge, LINGER_MS);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (refused) return size > limitBytes * 2 + LINGER_BYTES ? tooLarge() : undefined;
      if (size > limitBytes) return refuse();
      chunks.push(chunk);
    };
    const onEnd = () => {
      if (refused) return tooLarge();
      settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    };
    const onGone = (cause?: Error) => settle(() => reject(new ClientGone({ cause })));
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    if (declared > limitBytes) refuse();
  });
}

/** The client closed the connection before it had its answer; there is nobody to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone';
  constructor(options?: ErrorOptions) {
    super('The client closed the connection.', options);
  }
}

function mediaIssues(headers: IncomingMessage['headers']): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const contentType = headers['content-type'];
  const [mediaType = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const isJson = mediaType === 'application/json' || /^application\/[\w.-]+\+json$/.test(mediaType);
  const charset = parameters
    .find((part) => part.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (!isJson || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
    issues.push({
      type: contentType === undefined ? 'missing' : 'value_error',
      loc: ['header', 'content-type'],
      msg: 'The body must be application/json in UTF-8',
      input: contentType?.slice(0, 200) ?? null,
    });
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    issues.push({
      type: 'value_error',
      loc: ['header', 'content-encoding'],
      msg: 'Compressed bodies are not accepted',
      input: encoding.slice(0, 200),
    });
  }
  return issues;
}

const jsonInvalid = (position: number, error: string): ValidationIssue => ({
  type: 'json_invalid',
  loc: ['body', position],
  msg: 'JSON decode error',
  input: {},
  ctx: { error },
});
