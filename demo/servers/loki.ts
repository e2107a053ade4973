import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import type { ChildSpec } from '../../src/embedded/supervisor.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';

const USUAL_PORT = 3100;

/**
 * A single-process Grafana Loki on loopback only, without the logs of earlier runs.
 * @param options.binary path of Loki
 */
export async function lokiProcess(options: {
  binary: string;
  home: string;
  port?: number;
}): Promise<{ spec: ChildSpec; url: string }> {
  const { binary, home } = options;
  const folder = join(home, 'demo', 'loki');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const port = await freePort(options.port ?? USUAL_PORT);
  let grpcPort = await freePort();
  while (grpcPort === port) grpcPort = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'loki.yml');
  const loopback = '127.0.0.1';
  writeFileSync(
    config,
    // JSON is YAML.
    JSON.stringify(
      {
        auth_enabled: false,
        server: {
          http_listen_address: loopback,
          http_listen_port: port,
          grpc_listen_address: loopback,
          grpc_listen_port: grpcPort,
          log_level: 'warn',
        },
        frontend: { address: loopback },
        common: {
          instance_addr: loopback,
          path_prefix: folder,
          storage: { filesystem: { chunks_directory: join(folder, 'chunks'), rules_directory: join(folder, 'rules') } },
          replication_factor: 1,
          ring: { instance_addr: loopback, kvstore: { store: 'inmemory' } },
        },
        // A single process has no other member to wait for.
        ingester: { lifecycler: { min_ready_duration: '0s', join_after: '0s' } },
        limits_config: { discover_service_name: [] },
        analytics: { reporting_enabled: false },
        schema_config: {
          configs: [
            {
              from: '2024-01-01',
              store: 'tsdb',
              object_store: 'filesystem',
              schema: 'v13',
              index: { prefix: 'index_', period: '24h' },
            },
          ],
        },
      },
      null,
      2,
    ),
  );
  return {
    url,
    spec: {
      name: 'loki',
      marks: [`-config.file=${config}\n`],
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 8_000,
      command: binary,
      args: [`-config.file=${config}`],
      ready: async (signal) => {
        await waitUntil(async () => (await fetch(`${url}/ready`, { signal })).ok || undefined, {
          what: `Loki at ${url}`,
          timeoutMs: 60_000,
          signal,
        });
      },
    },
  };
}
