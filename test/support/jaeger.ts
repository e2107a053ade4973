import { freePort } from '../../src/embedded/free-port.ts';
import { findGoProgram } from './go-program.ts';
import { startServerProcess } from './server-process.ts';

export interface TestJaeger {
  /** Of its query service. */
  url: string;
  /** Sends spans: OTLP's JSON for `/v1/traces`. */
  push(otlp: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** Finds Jaeger with all its parts in one process, or builds it: the first version, which builds in two minutes. */
export function findJaegerBinary(): Promise<string> {
  return findGoProgram({
    title: 'Jaeger',
    command: 'jaeger-all-in-one',
    module: 'github.com/jaegertracing/jaeger',
    version: 'v1.76.0',
    package: 'cmd/all-in-one',
    identify: { args: ['version'], says: 'gitVersion' },
    website: 'https://www.jaegertracing.io/download/',
  });
}

/** Starts Jaeger on free ports; it keeps spans in memory. */
export async function startJaeger(): Promise<TestJaeger> {
  // Building it takes minutes, in which a port that is free would be taken by others.
  const command = await findJaegerBinary();
  const [query, otlp, ...others] = await ports(7);
  const url = `http://127.0.0.1:${query}`;
  const elsewhere = [
    '--query.grpc-server.host-port',
    '--collector.http-server.host-port',
    '--collector.grpc-server.host-port',
    '--collector.otlp.grpc.host-port',
    '--admin.http.host-port',
  ].map((flag, i) => `${flag}=127.0.0.1:${others[i]}`);
  const server = await startServerProcess({
    command,
    name: 'jaeger',
    readyUrl: `${url}/api/services`,
    // It would wait ten seconds for connections that are kept alive, and has nothing to save.
    stopSignal: 'SIGKILL',
    prepare: async () => [
      `--query.http-server.host-port=127.0.0.1:${query}`,
      `--collector.otlp.http.host-port=127.0.0.1:${otlp}`,
      ...elsewhere,
    ],
  });
  return {
    url,
    async push(spans) {
      const response = await fetch(`http://127.0.0.1:${otlp}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(spans),
      });
      if (!response.ok) throw new Error(`Jaeger refused the spans: ${response.status} ${await response.text()}`);
    },
    stop: () => server.stop(),
  };
}

async function ports(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}
