import type { Call, ServiceName } from './description.ts';
import type { ShopMetrics } from './metrics.ts';
import { messageOf } from '../../src/platform/message-of.ts';

/** Another service did not do its part. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  /** The caller's response in that case. */
  readonly status: 502 | 504;

  constructor(status: 502 | 504, message: string) {
    super(message);
    this.status = status;
  }
}

/** How a service asks the others; every request counts for the service graph. */
export function createShopClient(options: {
  service: ServiceName;
  /** Base URLs. */
  addresses: Record<ServiceName, string>;
  timeoutMs: number;
  graph: ShopMetrics['graph'];
}) {
  const { service: client, addresses, timeoutMs, graph } = options;

  /** @throws {UpstreamError} */
  return async function call({ service: server, method, path }: Call, headers: Record<string, string>): Promise<void> {
    const labels = { client, server };
    const what = `${method} ${path} of ${server}`;
    const began = performance.now();
    graph.requests.inc(labels);
    try {
      const response = await fetch(addresses[server] + path, {
        method,
        headers,
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
      if (response.status < 500) return;
      const took = Math.round(performance.now() - began);
      throw new UpstreamError(502, `${what} failed with status ${response.status} after ${took} ms`);
    } catch (error) {
      graph.failed.inc(labels);
      if (error instanceof UpstreamError) throw error;
      if (error instanceof Error && error.name === 'TimeoutError') {
        throw new UpstreamError(504, `timed out after ${timeoutMs} ms waiting for ${what}`);
      }
      throw new UpstreamError(502, `${what} failed: ${messageOf(error)}`);
    } finally {
      graph.duration.observe(labels, (performance.now() - began) / 1000);
    }
  };
}
