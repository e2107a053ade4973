import { z } from 'zod';

const listed = z.object({ sources: z.array(z.object({ id: z.string() })) });
const MAX_NAMED = 4;

/**
 * The telemetry sources that the first team of a running Casebook has, as one line for people; if there is none, how to
 * connect one.
 * @returns undefined if the API key was revoked or the API does not answer
 */
export async function describeSources({
  apiUrl,
  appUrl,
  apiKey,
}: {
  apiUrl: string;
  appUrl: string;
  apiKey: string;
}): Promise<string | undefined> {
  try {
    const response = await fetch(`${apiUrl}/api/sources`, {
      headers: { 'x-api-key': apiKey },
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) return undefined;
    const ids = listed.parse(await response.json()).sources.map(({ id }) => id);
    if (ids.length === 0)
      return `none yet: set PROMETHEUS_URL for metrics, LOKI_URL for logs, JAEGER_URL or TEMPO_URL for traces, and start again; or enrol a satellite at ${appUrl}/satellites`;
    const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
    return ids.slice(0, MAX_NAMED).join(', ') + more;
  } catch {
    return undefined;
  }
}
