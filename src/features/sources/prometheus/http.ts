import { z } from 'zod';
import { createHttpClient } from '../http-client.ts';
import { SourceError } from '../port.ts';
import type { TelemetryTransport } from '../transport.ts';

const envelope = z.object({ data: z.unknown() });

/** Queries may be longer than an address may be, so they are posted. */
const POSTED = new Set(['query', 'query_range']);

/**
 * Asks Prometheus' HTTP API.
 * @param options.url base URL of a server that speaks it, from the operator's configuration; paths of proxies are kept
 */
export function prometheusOverHttp(options: { url: string; maxResponseBytes?: number }): TelemetryTransport {
  const http = createHttpClient({ ...options, name: 'Prometheus', errorMessage });
  return {
    place: new URL(options.url).host,
    async ask(operation, parameters, signal) {
      const { label, match, ...rest } = parameters;
      const search = new URLSearchParams();
      const state = operation === 'targets' ? 'active' : undefined;
      for (const [key, value] of Object.entries({ ...rest, 'match[]': match, state })) {
        for (const item of [value].flat()) if (item !== undefined) search.append(key, String(item));
      }
      const path = operation === 'label_values' ? `label/${encodeURIComponent(String(label))}/values` : operation;
      const answer = await http.request(POSTED.has(operation) ? 'POST' : 'GET', `/api/v1/${path}`, search, signal);
      const parsed = envelope.safeParse(answer);
      if (parsed.success) return parsed.data.data;
      throw new SourceError(`Prometheus answered ${operation} in an unknown form: there is no data`);
    },
  };
}

function errorMessage(body: string): string | undefined {
  try {
    const { errorType, error } = z.object({ errorType: z.string(), error: z.string() }).parse(JSON.parse(body));
    return `${errorType}: ${error.slice(0, 1000)}`;
  } catch {
    return undefined;
  }
}
