import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Endpoint } from './endpoint.ts';

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

/** Sends a handler's result through the declared schema: members it does not name never leave the process. */
export function responder<D>({ response, content, operationId }: Endpoint<D>) {
  return (ctx: Context, result: unknown): void => {
    if (result instanceof ContentResponse) {
      if (!content || !Object.hasOwn(content, result.mediaType)) {
        throw new TypeError(`${operationId} does not declare the media type ${result.mediaType}.`);
      }
      ctx.type = result.mediaType;
      ctx.set(result.headers);
      ctx.body = result.body;
      return;
    }
    if (!response) throw new TypeError(`${operationId} declares no JSON response but returned one.`);
    const parsed = response.safeParse(result);
    if (!parsed.success) {
      throw new TypeError(`${operationId} returned what its response schema does not allow: ${parsed.error.message}`);
    }
    ctx.set('Content-Type', 'application/json; charset=utf-8');
    ctx.body = JSON.stringify(parsed.data);
  };
}
