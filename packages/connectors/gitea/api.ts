import { Octokit } from '@octokit/core';
import { z } from 'zod';
import { throughClient, type HostHttp } from '../shared/code-host/http.ts';
import { CodeHostError, type HostCall } from '../shared/code-host/port.ts';
import { parseHostAnswer } from '../shared/code-host/refusals.ts';
import type { GiteaConfig } from './config.ts';

/** Gitea's own maximum, unless its administrator changed it. */
const PER_PAGE = 50;
const MAX_PAGES = 200;

type Parameters = Record<string, unknown>;

const silent = (): undefined => undefined;

/**
 * Gitea's REST API, which is close enough to GitHub's for its client. Routes are as in Gitea's documentation; parameters
 * that they do not name are the query, or the body.
 */
export class GiteaApi {
  readonly #http: HostHttp;
  readonly #octokit: Octokit;
  readonly #headers: Record<string, string>;

  constructor({ url, token }: GiteaConfig, http: HostHttp) {
    this.#http = http;
    this.#headers = { authorization: `token ${token}`, accept: 'application/json' };
    this.#octokit = new Octokit({
      baseUrl: `${url}/api/v1`,
      userAgent: 'casebook',
      log: { debug: silent, info: silent, warn: silent, error: silent },
      request: { fetch: http.fetch },
    });
  }

  get place(): string {
    return this.#http.place;
  }

  /** @param route with its method, such as `POST /repos/{owner}/{repo}/pulls`. @throws {CodeHostError} */
  async send<Schema extends z.ZodType>(
    route: string,
    parameters: Parameters,
    schema: Schema,
    call: HostCall,
  ): Promise<z.output<Schema>> {
    return parseHostAnswer(schema, (await this.#request(route, parameters, call)).data, this.place);
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
      const { data, link } = await this.#request(`GET ${route}`, { limit: PER_PAGE, ...parameters, page }, call);
      if (member === undefined) yield parseHostAnswer(rows, data, this.place);
      else yield parseHostAnswer(z.object({ [member]: rows }), data, this.place)[member]!;
      // The next page's URL is not used: an answer must not decide where requests go.
      if (!/;\s*rel="next"/u.test(link)) return;
    }
  }

  /** @param list.maxPages of 50 items; what comes after them is left out. @throws {CodeHostError} */
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

  /** The end of a text. @throws {CodeHostError} */
  async tail(
    route: string,
    parameters: Parameters,
    { maxBytes, signal }: HostCall & { maxBytes: number },
  ): Promise<{ text: string; truncated: boolean }> {
    const { url } = this.#octokit.request.endpoint(`GET ${route}`, parameters);
    return await this.#http.tail(url, { headers: { ...this.#headers, accept: 'text/plain' }, maxBytes, signal });
  }

  async #request(
    route: string,
    parameters: Parameters,
    { signal }: HostCall,
  ): Promise<{ data: unknown; link: string }> {
    const options = { ...parameters, headers: this.#headers, request: { fetch: this.#http.fetch, signal } };
    const { data, headers } = await throughClient(() => this.#octokit.request(route, options), { signal });
    return { data, link: headers.link ?? '' };
  }
}

const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/u;

/** `owner/name` as parameters of a route. @throws {CodeHostError} `not_found` for what no repository is called */
export function ownerAndName(fullName: string): { owner: string; repo: string } {
  const [owner = '', repo = '', ...rest] = fullName.split('/');
  if (rest.length > 0 || !NAME.test(owner) || !NAME.test(repo))
    throw new CodeHostError('not_found', `Gitea has no repository ${JSON.stringify(fullName.slice(0, 200))}.`);
  return { owner, repo };
}

/** @throws {CodeHostError} `not_found` for what is no id */
export function numericId(id: string, thing: string): number {
  if (!/^\d{1,15}$/u.test(id))
    throw new CodeHostError('not_found', `Gitea has no ${thing} ${JSON.stringify(id.slice(0, 100))}.`);
  return Number(id);
}

/** Unix seconds of a time; null for the zero of Go and of Unix, which mean "not yet". */
export function secondsOf(time: string | null | undefined): number | null {
  const ms = Date.parse(time ?? '');
  return ms > 0 ? ms / 1000 : null;
}
