/** Errors that handlers and services throw to answer with a status other than 200. Anything else is a 500. */
import { echo, isSensitive } from './validation/issues.ts';

export interface HttpErrorOptions extends ErrorOptions {
  /** Response headers of the error, e.g. Retry-After. */
  headers?: Record<string, string>;
  /** Further members of the body, beside `detail` and `code`. */
  fields?: Record<string, unknown>;
}

/** A response of the form `{"detail": message, "code": code, ...fields}`. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  /** Stable identifier for programs to branch on. */
  readonly code: string;
  readonly headers: Record<string, string>;
  readonly fields: Record<string, unknown>;

  constructor(status: number, code: string, detail: string, options: HttpErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.code = code;
    this.headers = options.headers ?? {};
    this.fields = options.fields ?? {};
  }

  body(): Record<string, unknown> {
    return { detail: this.message, code: this.code, ...this.fields };
  }
}

export class Unauthorized extends HttpError {
  override name = 'Unauthorized';
  constructor(detail = 'A valid API key is required.', options: HttpErrorOptions = {}) {
    super(401, 'unauthorized', detail, {
      ...options,
      headers: { 'WWW-Authenticate': 'Bearer realm="casebook"', ...options.headers },
    });
  }
}

export class Forbidden extends HttpError {
  override name = 'Forbidden';
  constructor(detail = 'This is not allowed.', code = 'forbidden', options: HttpErrorOptions = {}) {
    super(403, code, detail, options);
  }
}

/** Also answers for another team's resources: their existence is not revealed. */
export class NotFound extends HttpError {
  override name = 'NotFound';
  constructor(detail = 'Not found.', code = 'not_found', options: HttpErrorOptions = {}) {
    super(404, code, detail, options);
  }
}

export class MethodNotAllowed extends HttpError {
  override name = 'MethodNotAllowed';
  constructor(allowed: string[]) {
    super(405, 'method_not_allowed', 'Method Not Allowed', { headers: { Allow: allowed.join(', ') } });
  }
}

export class Conflict extends HttpError {
  override name = 'Conflict';
  constructor(detail: string, code = 'conflict', options: HttpErrorOptions = {}) {
    super(409, code, detail, options);
  }
}

/** What the request's `If-Match` or `If-None-Match` says is not so. */
export class PreconditionFailed extends HttpError {
  override name = 'PreconditionFailed';
  constructor(detail: string, code = 'precondition_failed', options: HttpErrorOptions = {}) {
    super(412, code, detail, options);
  }
}

export const idempotencyKeyReused = (): Conflict =>
  new Conflict('This Idempotency-Key was used before with another request.', 'idempotency_key_reused');

/** Closes the connection, because the rest of the body is not read. */
export class PayloadTooLarge extends HttpError {
  override name = 'PayloadTooLarge';
  constructor(limitBytes: number) {
    super(413, 'payload_too_large', `The request body is larger than ${limitBytes} bytes.`, {
      headers: { Connection: 'close' },
    });
  }
}

export class TooManyRequests extends HttpError {
  override name = 'TooManyRequests';
  /** Whole seconds until a request will be accepted again. */
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, detail = 'Too many requests.', code = 'rate_limited') {
    const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
    super(429, code, detail, { headers: { 'Retry-After': String(seconds) } });
    this.retryAfterSeconds = seconds;
  }
}

/** A dependency (a database, Temporal, a vendor) does not answer; the same request may succeed later. */
export class DependencyDown extends HttpError {
  override name = 'DependencyDown';
  constructor(detail: string, code = 'dependency_down', options: HttpErrorOptions = {}) {
    super(503, code, detail, { ...options, headers: { 'Retry-After': '5', ...options.headers } });
  }
}

/** One entry of a 422 body, in FastAPI's format. */
export interface ValidationIssue {
  type: string;
  /** Where the value was: `body`, `query`, `path` or `header`, followed by the path to it. */
  loc: (string | number)[];
  msg: string;
  /** What was received, truncated and without credentials. */
  input: unknown;
  ctx?: Record<string, unknown>;
}

/** The request is invalid; carries all issues, not just the first. */
export class InvalidRequest extends HttpError {
  override name = 'InvalidRequest';
  readonly issues: ValidationIssue[];

  constructor(issues: ValidationIssue[]) {
    super(422, 'invalid_request', 'The request is not valid.');
    this.issues = issues;
  }

  override body(): Record<string, unknown> {
    return { detail: this.issues };
  }

  /** For rules that only a service can check: a single issue in the body. */
  static at(loc: (string | number)[], msg: string, input: unknown = null, type = 'value_error'): InvalidRequest {
    return new InvalidRequest([{ type, loc, msg, input: isSensitive(loc) ? null : echo(input) }]);
  }
}
