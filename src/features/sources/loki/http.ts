import { z } from 'zod';
import { createHttpClient } from '../http-client.ts';
import { SourceError } from '../port.ts';
import type { TelemetryTransport } from '../transport.ts';

const envelope = z.object({ data: z.unknown().optional() });

/**
 * Asks Loki's HTTP API.
 * @param options.url base URL, from the operator's configuration
 */
export function lokiOverHttp(options: { url: string }): TelemetryTransport {
  const http = createHttpClient({
    ...options,
    name: 'Loki',
    errorMessage: (body) => body.trim().slice(0, 1000) || undefined,
  });
  return {
    place: new URL(options.url).host,
    async ask(operation, { start, end, match, ...rest }, signal) {
      const search = new URLSearchParams();
      const times = { start: nanoseconds(start), end: nanoseconds(end) };
      for (const [key, value] of Object.entries({ ...rest, ...times, 'match[]': match })) {
        for (const item of [value].flat()) if (item !== undefined) search.append(key, String(item));
      }
      const parsed = envelope.safeParse(await http.request('GET', `/loki/api/v1/${operation}`, search, signal));
      if (parsed.success) return parsed.data.data;
      throw new SourceError(`Loki answered ${operation} in an unknown form: it is no object`);
    },
  };
}

/** Unix seconds as Loki takes them, exact to the microsecond. */
function nanoseconds(seconds: unknown): string | undefined {
  return typeof seconds === 'number' ? String(BigInt(Math.round(seconds * 1e6)) * 1000n) : undefined;
}
