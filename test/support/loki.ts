import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import { stringify } from 'yaml';
import { findLokiBinary } from './loki-binary.ts';
import { startServerProcess } from './server-process.ts';

export interface TestLoki {
  url: string;
  /** Pushes lines of one stream; `at` in unix seconds. */
  push(labels: Record<string, string>, lines: { at: number; line: string }[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Grafana Loki as a single process on free ports, with its data in a temporary folder. */
export async function startLoki(): Promise<TestLoki> {
  // Building it takes minutes, in which a port that is free would be taken by others.
  const command = await findLokiBinary();
  const port = await freePort();
  const grpcPort = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServerProcess({
    command,
    name: 'loki',
    readyUrl: `${url}/ready`,
    prepare: async (folder) => {
      const config = {
        auth_enabled: false,
        server: {
          http_listen_address: '127.0.0.1',
          http_listen_port: port,
          grpc_listen_address: '127.0.0.1',
          grpc_listen_port: grpcPort,
          log_level: 'warn',
        },
        // Its parts speak to each other over the loopback interface, where they listen.
        frontend: { address: '127.0.0.1' },
        common: {
          instance_addr: '127.0.0.1',
          path_prefix: folder,
          storage: { filesystem: { chunks_directory: join(folder, 'chunks'), rules_directory: join(folder, 'rules') } },
          replication_factor: 1,
          ring: { instance_addr: '127.0.0.1', kvstore: { store: 'inmemory' } },
        },
        // Ready as soon as it can serve: a single process has no other member to wait for.
        ingester: { lifecycler: { min_ready_duration: '0s', join_after: '0s' } },
        // Services are named by whatever label a stream has, as in Loki before version 3.
        limits_config: { reject_old_samples: false, discover_service_name: [] },
        analytics: { reporting_enabled: false },
        schema_config: {
          configs: [
            {
              from: '2020-01-01',
              store: 'tsdb',
              object_store: 'filesystem',
              schema: 'v13',
              index: { prefix: 'index_', period: '24h' },
            },
          ],
        },
      };
      await writeFile(join(folder, 'loki.yml'), stringify(config));
      return [`-config.file=${join(folder, 'loki.yml')}`];
    },
  });
  return {
    url,
    async push(labels, lines) {
      const values = lines.map(({ at, line }) => [String(BigInt(Math.round(at * 1e6)) * 1000n), line]);
      const response = await fetch(`${url}/loki/api/v1/push`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ streams: [{ stream: labels, values }] }),
      });
      if (!response.ok) throw new Error(`Loki refused the lines: ${response.status} ${await response.text()}`);
    },
    stop: () => server.stop(),
  };
}
