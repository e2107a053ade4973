import { Octokit } from '@octokit/core';
import { z } from 'zod';
import type { HostHttp } from '../shared/code-host/http.ts';
import { throughClient } from '../shared/code-host/http.ts';
import { parseHostAnswer } from '../shared/code-host/refusals.ts';
import type { GitHubConfig } from './config.ts';
import { openCredentials, type Credentials } from './credentials.ts';

const PER_PAGE = 100;
const MAX_PAGES = 100;
const VERSION = { 'x-github-api-version': '2022-11-28' };

type Parameters = Record<string, unknown>;

interface Answer<Data> {
  data: Data;
  headers: Record<string, string | number | undefined>;
}

const silent = (): undefined => undefined;

/** GitHub's REST API. Routes are as in its documentation; parameters that they do not name are the query, or the body. */
export class GitHubApi {
  readonly credentials: Credentials;
  readonly #http: HostHttp;
  readonly #octokit: Octokit;

  /** @param now unix ms */
  constructor(config: GitHubConfig, http: HostHttp, now: () => number) {
    this.#http = http;
    this.#octokit = new Octokit({
      baseUrl: config.url.replace(/\/+$/u, ''),
      userAgent: 'casebook',
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
    this.credentials = openCredentials(config, {
      send: async (route, authorization, signal) => (await this.#request(route, {}, authorization, signal)).data,
      place: http.place,
      now,
    });
  }

  /** @param route with its method, such as `POST /repos/{owner}/{repo}/pulls`. @throws {CodeHostError} */
  async send<Schema extends z.ZodType>(
    route: string,
    parameters: Parameters,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Answer<z.output<Schema>>> {
    const { data, headers } = await this.#request(route, parameters, await this.credentials.token(signal), signal);
    return { headers, data: parseHostAnswer(schema, data, this.#http.place) };
  }

  /** @param route without its method. @throws {CodeHostError} */
  async get<Schema extends z.ZodType>(
    route: string,
    parameters: Parameters,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    return (await this.send(`GET ${route}`, parameters, schema, signal)).data;
  }

  /** As the App, not as its installation. @throws {CodeHostError} */
  async getAsApp<Schema extends z.ZodType>(
    route: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const { data } = await this.#request(`GET ${route}`, {}, this.credentials.jwt(), signal);
    return parseHostAnswer(schema, data, this.#http.place);
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
    signal: AbortSignal,
  ): AsyncGenerator<z.output<Schema>[]> {
    const rows = z.array(item);
    const schema = member === undefined ? rows : z.object({ [member]: rows }).transform((answer) => answer[member]!);
    for (let page = 1; page <= MAX_PAGES; page++) {
      const query = { per_page: PER_PAGE, ...parameters, page };
      const { data, headers } = await this.send(`GET ${route}`, query, schema, signal);
      yield data;
      // The next page's URL is not used: an answer must not decide where requests go.
      if (!/;\s*rel="?next"?/u.test(String(headers['link'] ?? ''))) return;
    }
  }

  /** @param list.maxPages of 100 items; what comes after them is left out. @throws {CodeHostError} */
  async list<Schema extends z.ZodType>(
    route: string,
    parameters: Parameters,
    { maxPages, ...list }: { item: Schema; member?: string; maxPages: number },
    signal: AbortSignal,
  ): Promise<z.output<Schema>[]> {
    const found: z.output<Schema>[] = [];
    let read = 0;
    for await (const page of this.pages(route, parameters, list, signal)) {
      found.push(...page);
      read += 1;
      if (read >= maxPages) break;
    }
    return found;
  }

  /** The end of a text that GitHub keeps elsewhere. @throws {CodeHostError} */
  async tail(
    route: string,
    parameters: Parameters,
    { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  ): Promise<{ text: string; truncated: boolean }> {
    const authorization = `Bearer ${await this.credentials.token(signal)}`;
    const { url, headers } = this.#octokit.request.endpoint(`GET ${route}`, parameters);
    const agent = String(headers['user-agent']);
    const sent = { ...VERSION, authorization, accept: String(headers.accept), 'user-agent': agent };
    return await this.#http.tail(url, { headers: sent, maxBytes, signal });
  }

  async #request(route: string, parameters: Parameters, token: string, signal: AbortSignal): Promise<Answer<unknown>> {
    const headers = { ...VERSION, authorization: `Bearer ${token}` };
    const request = { fetch: this.#http.fetch, signal };
    return await throughClient(() => this.#octokit.request(route, { ...parameters, headers, request }), { signal });
  }
}
