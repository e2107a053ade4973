import type { Readable } from 'node:stream';

/** A response that is not JSON. The endpoint must declare its media type under `content`. */
export class ContentResponse {
  readonly mediaType: string;
  readonly body: string | Buffer | Readable;
  readonly headers: Record<string, string>;

  constructor(mediaType: string, body: string | Buffer | Readable, headers: Record<string, string> = {}) {
    this.mediaType = mediaType;
    this.body = body;
    this.headers = headers;
  }
}
