/** The cluster's API through its own client: bounded answers, pages, and calls that end when the caller gives up. */
import type {
  AppsV1Api,
  BatchV1Api,
  ConfigurationOptions,
  CoreV1Api,
  KubeConfig,
  RequestContext,
  ResponseContext,
  VersionApi,
} from '@kubernetes/client-node';
import type * as kubernetesClient from '@kubernetes/client-node';
import type { OperationContext } from '../connector.ts';
import { asQueryError, expiredContinue, tooLarge } from './errors.ts';

interface Apis {
  core: CoreV1Api;
  apps: AppsV1Api;
  batch: BatchV1Api;
  version: VersionApi;
}

/** Filters and limits of a list. */
interface Page {
  limit: number;
  _continue?: string;
}

interface ListOf<Item> {
  items: Item[];
  metadata?: { _continue?: string };
}

export interface Listed<Item> {
  items: Item[];
  /** The cluster has more than were requested. */
  truncated: boolean;
}

const PAGE = 500;

type Vendor = typeof kubernetesClient;

export class KubernetesClient {
  readonly #configure: (vendor: Vendor) => KubeConfig;
  #opened: Promise<{ vendor: Vendor; apis: Apis }> | undefined;

  /** @param configure creates the client's configuration; called at the first use, and again after a failure */
  constructor(configure: (vendor: Vendor) => KubeConfig) {
    this.#configure = configure;
  }

  /**
   * Makes one call. Its answer may have at most `context.maxBytes` bytes.
   * @throws {QueryError} with the server's message
   */
  async call<Answer>(
    context: OperationContext,
    make: (apis: Apis, options: ConfigurationOptions) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      const { vendor, apis } = await this.#open();
      context.signal.throwIfAborted();
      return await make(apis, optionsFor(vendor, context));
    } catch (error) {
      throw asQueryError(error, context.signal);
    }
  }

  /**
   * Lists page by page, mapping each object with `keep`.
   * @param max maximum number of objects; no further page is requested once it is reached
   */
  async list<Item, Kept>(
    context: OperationContext,
    max: number,
    make: (apis: Apis, page: Page, options: ConfigurationOptions) => Promise<ListOf<Item>>,
    keep: (item: Item) => Kept,
  ): Promise<Listed<Kept>> {
    const items: Kept[] = [];
    let next: string | undefined;
    do {
      const page: Page = { limit: Math.min(PAGE, max - items.length), ...(next !== undefined && { _continue: next }) };
      try {
        const list = await this.#page(context, (apis, options) => make(apis, page, options));
        items.push(...list.items.map(keep));
        next = list.metadata?._continue || undefined;
      } catch (error) {
        // After the list token expires, this token continues from the same place in a newer state.
        const fresh = next === undefined ? undefined : expiredContinue(error);
        if (fresh === undefined) throw asQueryError(error, context.signal);
        next = fresh;
      }
    } while (next !== undefined && items.length < max);
    return { items, truncated: next !== undefined };
  }

  async #page<Answer>(
    context: OperationContext,
    make: (apis: Apis, options: ConfigurationOptions) => Promise<Answer>,
  ): Promise<Answer> {
    const { vendor, apis } = await this.#open();
    context.signal.throwIfAborted();
    return make(apis, optionsFor(vendor, context));
  }

  #open(): Promise<{ vendor: Vendor; apis: Apis }> {
    this.#opened ??= (async () => {
      const vendor = await import('@kubernetes/client-node');
      const config = this.#configure(vendor);
      const apis = {
        core: config.makeApiClient(vendor.CoreV1Api),
        apps: config.makeApiClient(vendor.AppsV1Api),
        batch: config.makeApiClient(vendor.BatchV1Api),
        version: config.makeApiClient(vendor.VersionApi),
      };
      return { vendor, apis };
    })();
    this.#opened.catch(() => (this.#opened = undefined));
    return this.#opened;
  }
}

function optionsFor({ Observable }: Vendor, { signal, maxBytes }: OperationContext): ConfigurationOptions {
  const pre = (request: RequestContext): RequestContext => {
    request.setSignal(signal);
    return request;
  };
  const post = (response: ResponseContext): ResponseContext => {
    const { body } = response;
    const bytes = async (): Promise<Buffer> => bounded(body.stream(), maxBytes);
    response.body = {
      ...body,
      stream: () => body.stream(),
      binary: bytes,
      text: async () => (await bytes()).toString('utf8'),
    };
    return response;
  };
  const soon = <Value>(make: () => Value) => new Observable(Promise.resolve().then(make));
  const middleware = [
    {
      pre: (request: RequestContext) => soon(() => pre(request)),
      post: (response: ResponseContext) => soon(() => post(response)),
    },
  ];
  return { middleware, middlewareMergeStrategy: 'append' };
}

async function bounded(stream: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
