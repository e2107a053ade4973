import type { HostHttp } from '../shared/code-host/http.ts';
import { RestApi } from '../shared/code-host/rest-api.ts';
import type { GiteaConfig } from './config.ts';

/** Gitea's REST API, which is close enough to GitHub's for its client. */
export class GiteaApi extends RestApi {
  constructor({ url, token }: GiteaConfig, http: HostHttp) {
    const headers = { authorization: `token ${token}`, accept: 'application/json' };
    // Gitea's own maximum, unless its administrator changed it.
    super(http, { baseUrl: `${url}/api/v1`, headers: async () => headers, page: { limit: 50 } });
  }
}

/** Unix seconds of a time; null for the zero of Go and of Unix, which mean "not yet". */
export function secondsOf(time: string | null | undefined): number | null {
  const ms = Date.parse(time ?? '');
  return ms > 0 ? ms / 1000 : null;
}
