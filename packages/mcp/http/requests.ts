/** Sends the requests of a client: with the owner's credential, and only where the owner lets them go. */
import { Agent } from 'undici';
import { headers as headerValues, QueryError } from '@casebook/connectors';
import { McpUnauthorized } from '../errors.ts';
import type { HttpServer } from '../settings.ts';

type RequestSettings = Pick<HttpServer, 'name' | 'headers' | 'authorize' | 'network'>;

export class Requests {
  readonly #settings: RequestSettings;
  readonly #agent: Agent;

  constructor(settings: RequestSettings) {
    this.#settings = settings;
    this.#agent = new Agent({
      // Without the dispatcher's own limits: a tool may stay silent for longer than five minutes.
      bodyTimeout: 0,
      headersTimeout: 0,
      connect: { lookup: settings.network?.lookup },
    });
  }

  /**
   * @throws {McpUnauthorized} when the server does not accept the credential, renewed or not
   * @throws {QueryError} when the address is not allowed, or redirects
   * @throws whatever `authorize` throws
   */
  async send(url: string | URL, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
    const { name, authorize, network } = this.#settings;
    const problem = network?.urlProblem(String(url));
    if (problem !== undefined)
      throw new QueryError('failed', `The MCP server “${name}” may not be reached: ${problem}`);
    const { signal } = init;
    const credential = await authorize?.({ signal });
    let response = await this.#fetch(url, init, credential);
    if (response.status === 401 && authorize !== undefined) {
      await response.body?.cancel();
      response = await this.#fetch(url, init, await authorize({ signal, refused: credential ?? {} }));
    }
    const { status } = response;
    const challenge = response.headers.get('www-authenticate') ?? undefined;
    if (status === 401 || (status === 403 && challenge !== undefined)) {
      await response.body?.cancel();
      throw new McpUnauthorized(name, status, challenge);
    }
    if (network !== undefined && status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new QueryError('failed', `The MCP server “${name}” answered with a redirect, which is not followed.`);
    }
    return response;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #fetch(
    url: string | URL,
    init: RequestInit,
    credential: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const headers = new Headers();
    this.#set(headers, this.#settings.headers);
    for (const [header, value] of new Headers(init.headers)) headers.set(header, value);
    this.#set(headers, credential);
    return await fetch(url, { ...init, headers, dispatcher: this.#agent });
  }

  /** `Headers` repeats an invalid value in its error, and it may be a secret. */
  #set(headers: Headers, given: Readonly<Record<string, string>>): void {
    for (const [header, value] of Object.entries(given)) {
      if (!headerValues.safeParse({ [header]: value }).success) {
        const message = `A header for the MCP server “${this.#settings.name}” contains a character that is not allowed in it.`;
        throw new QueryError('failed', message);
      }
      headers.set(header, value);
    }
  }
}
