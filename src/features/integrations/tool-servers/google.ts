/** Google Cloud's MCP server for observability. */
import { z } from 'zod';
import { parseJson } from '../../../platform/parse-json.ts';
import type { VendorServer } from './port.ts';

const googleFailure = z.object({ error: z.object({ message: z.string() }) });
/** Its failures have no status. Those that are not clearly about the question count as the vendor's. */
const ABOUT_THE_QUESTION =
  /invalid (?:argument|value|filter|resource|name|page)|could not be parsed|unparse?able|not found|does not exist|must (?:be|have)/iu;

export const google: VendorServer = {
  package: '@google-cloud/observability-mcp',
  version: '0.2.3',
  readOnly: 'all',
  meaning(content) {
    if (content === 'Invoked tool returned an empty result') return { content, answer: 'nothing' };
    const failure = googleFailure.safeParse(parseJson(content));
    if (!failure.success) return undefined;
    // Without the stack, which names the operator's folders.
    const { message } = failure.data.error;
    return { content: message, answer: ABOUT_THE_QUESTION.test(message) ? 'refused' : 'unavailable' };
  },
  start({ googleUrl, googleOauthUrl }) {
    if (googleUrl !== undefined || googleOauthUrl !== undefined) return undefined;
    return { args: [], env: { METADATA_SERVER_DETECTION: 'none' } };
  },
  credentials({ settings, secrets }) {
    const { service_account, client_id, client_secret, refresh_token } = secrets;
    const text =
      service_account ??
      (refresh_token === undefined
        ? undefined
        : JSON.stringify({ type: 'authorized_user', client_id, client_secret, refresh_token }));
    if (text === undefined) return undefined;
    const { project_id } = settings;
    const env: Record<string, string> = {};
    if (typeof project_id === 'string') env['GOOGLE_CLOUD_PROJECT'] = project_id;
    return {
      env,
      files: { '.config/gcloud/application_default_credentials.json': String(text) },
    };
  },
};
