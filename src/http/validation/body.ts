import type { IncomingMessage } from 'node:http';
import { HttpError, PayloadTooLarge, type ValidationIssue } from '../errors.ts';
import { LARGE_BYTES, parseAnywhere } from './large-bodies.ts';
import type { ParsedBody, ParseOptions } from './parse-body.ts';

export interface RawBodyOptions {
  /** Maximum bytes read; a body that declares more is refused before any are read. */
  maxBytes: number;
  /** Waits until this request may send a large body. @returns ends that permission */
  admitLarge: () => Promise<() => void>;
  /** How long an admitted body may take to arrive. */
  largeBodyMs?: number;
}

export interface BodyOptions extends RawBodyOptions {
  parsing: ParseOptions;
}

const LARGE_BODY_MS = 20_000;

/** How much of a refused body is still read, and for how long, before the connection closes. */
const LINGER_BYTES = 4 * 1_048_576;
const LINGER_MS = 1_000;

/**
 * Reads a JSON body; an empty one is undefined. Compressed bodies are refused, so that the limit bounds memory too.
 * @throws {PayloadTooLarge}, or whatever `admitLarge` throws
 */
export const readJsonBody = (req: IncomingMessage, options: BodyOptions): Promise<ParsedBody> =>
  reading(req, options, async (bytes) => {
    const issues = bytes.length === 0 ? [] : mediaIssues(req.headers);
    if (bytes.length === 0 || issues.length > 0) return { json: undefined, issues };
    return parseAnywhere(bytes, options.parsing);
  });

/** Reads a body as it was sent, whatever it is. @throws {PayloadTooLarge}, or whatever `admitLarge` throws */
export const readRawBody = (req: IncomingMessage, options: RawBodyOptions): Promise<Buffer> =>
  reading(req, options, async (bytes) => bytes);

/** Reads a body; the permission for a large one lasts until `use` is done. */
async function reading<T>(
  req: IncomingMessage,
  options: RawBodyOptions,
  use: (bytes: Buffer) => Promise<T>,
): Promise<T> {
  const permission: { end?: () => void; isOver?: boolean } = {};
  try {
    const bytes = await readBytes(req, options, async () => {
      const end = await options.admitLarge();
      // The client may have left by now.
      if (permission.isOver) end();
      else permission.end = end;
    });
    return await use(bytes);
  } finally {
    permission.isOver = true;
    permission.end?.();
  }
}

/** @param admitLarge called once, when there are more than {@link LARGE_BYTES}; nothing is read until it returns */
function readBytes(
  req: IncomingMessage,
  { maxBytes, largeBodyMs = LARGE_BODY_MS }: RawBodyOptions,
  admitLarge: () => Promise<void>,
): Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  const chunks: Buffer[] = [];
  let size = 0;
  let refusal: Error | undefined;
  let admission: Promise<void> | undefined;
  // Not `for await`: leaving that loop early destroys the socket before the refusal is written.
  return new Promise((resolve, reject) => {
    let linger: NodeJS.Timeout | undefined;
    let deadline: NodeJS.Timeout | undefined;
    const settle = (outcome: () => void) => {
      clearTimeout(linger);
      clearTimeout(deadline);
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      outcome();
    };
    /**
     * A client that is still sending would see a connection reset instead of the response, so a bounded rest is read
     * and dropped.
     */
    const refuse = (error: Error) => {
      refusal = error;
      clearTimeout(deadline);
      chunks.length = 0;
      linger = setTimeout(() => settle(() => reject(error)), LINGER_MS);
      req.resume();
    };
    const admit = async () => {
      req.pause();
      try {
        await admitLarge();
        deadline = setTimeout(() => refuse(withoutRest(tooSlow())), largeBodyMs).unref();
        req.resume();
      } catch (error) {
        refuse(withoutRest(error));
      }
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (refusal) return size > maxBytes * 2 + LINGER_BYTES ? settle(() => reject(refusal)) : undefined;
      if (size > maxBytes) return refuse(new PayloadTooLarge(maxBytes));
      chunks.push(chunk);
      if (size > LARGE_BYTES) admission ??= admit();
    };
    const complete = () => {
      if (refusal) return settle(() => reject(refusal));
      settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    };
    const onEnd = () => {
      // A request closes once its end was read, whether or not its client is still there.
      req.off('close', onGone);
      if (admission) void admission.then(complete);
      else complete();
    };
    const onGone = (cause?: Error) => settle(() => reject(new ClientGone({ cause })));
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    if (declared > maxBytes) refuse(new PayloadTooLarge(maxBytes));
  });
}

const tooSlow = () => new HttpError(408, 'request_timeout', 'The request body took too long to arrive.');

/** The rest of the body is not read, so the connection cannot be reused. */
function withoutRest(error: unknown): Error {
  if (error instanceof HttpError) error.headers['Connection'] = 'close';
  return error instanceof Error ? error : new Error(String(error));
}

/** The client closed the connection before it received a response; nobody is left to answer. */
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
