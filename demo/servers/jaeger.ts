import { freePort } from '../../src/embedded/free-port.ts';
import type { ChildSpec } from '../../src/embedded/supervisor.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';

const USUAL_PORT = 16_686;
/** In memory; the shop makes some 14 a second. */
const MAX_TRACES = 50_000;
const LOOPBACK = '127.0.0.1';

/**
 * Jaeger with all its parts in one process, on loopback only; it keeps traces in memory.
 * @param options.binary path of Jaeger
 * @returns the URL of its query service, and that of its OTLP receiver
 */
export async function jaegerProcess(options: {
  binary: string;
  home: string;
  port?: number;
}): Promise<{ spec: ChildSpec; url: string; otlpUrl: string }> {
  const port = await freePort(options.port ?? USUAL_PORT);
  const taken = new Set([port]);
  const another = async (): Promise<string> => {
    let found = await freePort();
    while (taken.has(found)) found = await freePort();
    taken.add(found);
    return `${LOOPBACK}:${found}`;
  };
  const otlp = await another();
  const args = [`--query.http-server.host-port=${LOOPBACK}:${port}`, `--collector.otlp.http.host-port=${otlp}`];
  for (const unused of [
    'query.grpc-server',
    'collector.http-server',
    'collector.grpc-server',
    'collector.otlp.grpc',
    'admin.http',
  ]) {
    args.push(`--${unused}.host-port=${await another()}`);
  }
  args.push(`--memory.max-traces=${MAX_TRACES}`, '--log-level=warn');
  const url = `http://${LOOPBACK}:${port}`;
  return {
    url,
    otlpUrl: `http://${otlp}`,
    spec: {
      name: 'jaeger',
      // Jaeger has no file of this home to tell it by.
      marks: [options.binary, `CASEBOOK_HOME=${options.home}\n`],
      // It would wait ten seconds for connections that are kept alive, and has nothing to save.
      stopSignal: 'SIGKILL',
      stopTimeoutMs: 2_000,
      command: options.binary,
      args,
      env: { ...process.env, CASEBOOK_HOME: options.home },
      ready: async (signal) => {
        await waitUntil(async () => (await fetch(`${url}/api/services`, { signal })).ok || undefined, {
          what: `Jaeger at ${url}`,
          timeoutMs: 60_000,
          signal,
        });
      },
    },
  };
}
