import type { z } from 'zod';
import type { HostHttp } from '../shared/code-host/http.ts';
import type { HostCall } from '../shared/code-host/port.ts';
import { parseHostAnswer } from '../shared/code-host/refusals.ts';
import { RestApi } from '../shared/code-host/rest-api.ts';
import type { GitHubConfig } from './config.ts';
import { openCredentials, type Credentials } from './credentials.ts';

const VERSION = { 'x-github-api-version': '2022-11-28' };

/** GitHub's REST API. */
export class GitHubApi extends RestApi {
  readonly credentials: Credentials;

  /** @param now unix ms */
  constructor(config: GitHubConfig, http: HostHttp, now: () => number) {
    super(http, {
      baseUrl: config.url.replace(/\/+$/u, ''),
      headers: async ({ signal }) => headersWith(await this.credentials.token(signal)),
      page: { per_page: 100 },
    });
    this.credentials = openCredentials(config, {
      send: async (route, token, signal) => (await this.answer(route, {}, { signal }, headersWith(token))).data,
      place: http.place,
      now,
    });
  }

  /** As the App, not as its installation. @param route without its method. @throws {CodeHostError} */
  async getAsApp<Schema extends z.ZodType>(route: string, schema: Schema, call: HostCall): Promise<z.output<Schema>> {
    const { data } = await this.answer(`GET ${route}`, {}, call, headersWith(this.credentials.jwt()));
    return parseHostAnswer(schema, data, this.place);
  }
}

const headersWith = (token: string): Record<string, string> => ({ ...VERSION, authorization: `Bearer ${token}` });
