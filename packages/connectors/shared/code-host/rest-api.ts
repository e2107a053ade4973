import { Octokit } from '@octokit/core';
import { z } from 'zod';
import { throughClient, type HostHttp } from './http.ts';
import type { HostCall } from './port.ts';
import { parseHostAnswer } from './refusals.ts';

/** A host's list that goes on for longer is not read to its end. */
const MAX_PAGES = 200;

export type Parameters = Record<string, unknown>;

const silent = (): undefined => undefined;

/**
 * GitHub's REST API, or one that is close enough to it for its client. Routes are as in the host's documentation;
 * parameters that they do not name are the query, or the body.
 */
export class RestApi {
  readonly #http: HostHttp;
  readonly #octokit: Octokit;
  readonly #options: { headers: (call: HostCall) => Promise<Record<string, string>>; page: Parameters };

  /**
   * @param options.baseUrl without a slash at its end
   * @param options.headers of every request, with the credential
   * @param options.page the parameter for the size of a page
   */
  constructor(
    http: HostHttp,
    options: { baseUrl: string; headers: (call: HostCall) => Promise<Record<string, string>>; page: Parameters },
  ) {
    this.#http = http;
    this.#options = options;
    this.#octokit = new Octokit({
      baseUrl: options.baseUrl,
      userAgent: 'casebook',
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
  }

  get place(): string {
    return this.#http.place;
  }

  /**
   * @param route with its method, such as `POST /repos/{owner}/{repo}/pulls`
   * @param headers by default those of every request
   * @throws {CodeHostError}
   */
  async answer(
    route: string,
    parameters: Parameters,
    call: HostCall,
    headers?: Record<string, string>,
  ): Promise<{ data: unknown; headers: Record<string, string | number | undefined> }> {
    const { signal } = call;
    const request = { fetch: this.#http.fetch, signal };
    const options = { ...parameters, headers: headers ?? (await this.#options.headers(call)), request };
    return await throughClient(() => this.#octokit.request(route, options), { signal });
  }

  /** @param route with its method. @throws {CodeHostError} */
  async send<Schema extends z.ZodType>(
    route: string,
    parameters: Parameters,
    schema: Schema,
    call: HostCall,
  ): Promise<z.output<Schema>> {
    return parseHostAnswer(schema, (await this.answer(route, parameters, call)).data, this.place);
  }

  /** @param route without its method. @throws {CodeHostError} */
  get<Schema extends z.ZodType>(
    route: string,
    parameters: Parameters,
    schema: Schema,
    call: HostCall,
  ): Promise<z.output<Schema>> {
    return this.send(`GET ${route}`, parameters, schema, call);
  }

  /**
   * The pages of a list, each when it is wanted.
   * @param list.member of the answer that has the list, if the answer is not the list
   * @throws {CodeHostError}
   */
  async *pages<Schema extends z.ZodType>(
    route: string,
    parameters: Parameters,
    { item, member }: { item: Schema; member?: string },
    call: HostCall,
  ): AsyncGenerator<z.output<Schema>[]> {
    // Go has null for an empty list.
    const rows = z
      .array(item)
      .nullable()
      .transform((list) => list ?? []);
    for (let page = 1; page <= MAX_PAGES; page++) {
      const query = { ...this.#options.page, ...parameters, page };
      const { data, headers } = await this.answer(`GET ${route}`, query, call);
      if (member === undefined) yield parseHostAnswer(rows, data, this.place);
      else yield parseHostAnswer(z.object({ [member]: rows }), data, this.place)[member]!;
      // The next page's URL is not used: an answer must not decide where requests go.
      if (!/;\s*rel="next"/u.test(String(headers['link'] ?? ''))) return;
    }
  }

  /** @param list.maxPages what comes after them is left out. @throws {CodeHostError} */
  async list<Schema extends z.ZodType>(
    route: string,
    parameters: Parameters,
    { maxPages, ...list }: { item: Schema; member?: string; maxPages: number },
    call: HostCall,
  ): Promise<z.output<Schema>[]> {
    const found: z.output<Schema>[] = [];
    let read = 0;
    for await (const page of this.pages(route, parameters, list, call)) {
      found.push(...page);
      read += 1;
      if (read >= maxPages) break;
    }
    return found;
  }

  /** The end of a text of any length. @throws {CodeHostError} */
  async tail(
    route: string,
    parameters: Parameters,
    { maxBytes, ...call }: HostCall & { maxBytes: number },
  ): Promise<{ text: string; truncated: boolean }> {
    const { url, headers } = this.#octokit.request.endpoint(`GET ${route}`, parameters);
    const sent = { 'user-agent': String(headers['user-agent']), ...(await this.#options.headers(call)) };
    return await this.#http.tail(url, { headers: { ...sent, accept: '*/*' }, maxBytes, ...call });
  }
}
