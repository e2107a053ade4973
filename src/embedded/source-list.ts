import { z } from 'zod';

const listed = z.object({ sources: z.array(z.object({ id: z.string(), error: z.string().nullable() })) });
const MAX_NAMED = 4;

/**
 * The telemetry sources that the first team of a running Casebook has, as one line for people that tells which of them
 * answer; if there is none, how to connect one.
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
    const { sources } = listed.parse(await response.json());
    if (sources.length === 0)
      return `none: connect a database or a vendor at ${appUrl}/integrations; or set PROMETHEUS_URL for metrics, LOKI_URL for logs, JAEGER_URL or TEMPO_URL for traces, then restart; or enrol a satellite at ${appUrl}/satellites`;
    const named = sources.slice(0, MAX_NAMED).map(({ id, error }) => (error === null ? id : `${id} (not answering)`));
    const more = sources.length > MAX_NAMED ? ` and ${sources.length - MAX_NAMED} more` : '';
    return named.join(', ') + more;
  } catch {
    return undefined;
  }
}
