/** Assembles the satellite. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { SatelliteConfig } from './config/index.ts';
import { clustersOf, Connection, endpointOf, healthOf, inventoryOf, Monitor, redactGraph } from './connection/index.ts';
import { createGraphFeed } from './graph/index.ts';
import { headerSecret } from '@casebook/connectors';
import { startHealthServer } from './health-server.ts';
import type { Log } from './log.ts';
import { startMcpServers } from './mcp-servers.ts';
import { connectAll, QueryRunner, Slots } from './queries/index.ts';
import { Integrations } from './integrations/index.ts';
import { createRedactor } from './redaction/index.ts';

/** How long answers in progress may take on shutdown. */
const DRAIN_MS = 10_000;

interface Satellite {
  readonly connected: boolean;
  readonly healthPort: number | undefined;
  /** Finishes the answers in progress within a bounded time, then stops everything. */
  stop(): Promise<void>;
}

/** @throws when a port is taken or a required file cannot be read */
export async function startSatellite(
  config: SatelliteConfig,
  { version, log }: { version: string; log: Log },
): Promise<Satellite> {
  const { url, exposed } = endpointOf(config.casebook.url);
  if (exposed) log.warn({ url }, 'the token is sent over an unencrypted connection: use an https URL');
  const ca = config.casebook.ca_file && [...rootCertificates, await readFile(config.casebook.ca_file, 'utf8')];
  const redactor = createRedactor(config.redaction);
  const limited = connectAll(config, log);
  const connectors = limited.map(({ connector }) => connector);
  const graph = await createGraphFeed(config.graph, { connectors, log });
  const mcp = startMcpServers(config, { version, log });
  const monitor = new Monitor(connectors, { redactor, log, onClusters: () => connection.changed() });
  const integrations = new Integrations(config.integrations, log);
  const queries = new QueryRunner({
    systems: {
      connectors: new Map(limited.map((entry) => [entry.connector.id, entry])),
      mcp,
      integrations,
      timeoutMs: config.limits.query_timeout_seconds * 1_000,
      maxAnswerBytes: config.limits.max_answer_bytes,
    },
    slots: new Slots({ concurrency: config.limits.concurrency, perTarget: config.limits.per_connector }),
    redactor,
    log,
  });
  const connection = new Connection({
    url,
    ...(ca && { ca }),
    name: config.name,
    version,
    instance: randomUUID(),
    token: () => tokenOf(config.casebook),
    inventory: () =>
      inventoryOf({
        version,
        labels: config.labels,
        connectors,
        tools: mcp.tools(),
        omitted: mcp.omitted(),
        integrations: integrations.kinds,
        redactor,
      }),
    clusters: () => clustersOf(monitor.clusters(), redactor),
    health: () => healthOf([...monitor.health(), ...mcp.health()], redactor),
    redactGraph: (message) => redactGraph(message, redactor),
    graph,
    queries,
    log,
  });
  mcp.onChange(() => connection.changed());
  const health =
    config.health_port === undefined
      ? undefined
      : await startHealthServer(config.health_port, () => connection.connected);
  monitor.start();
  const running = connection.run();

  const stop = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<void>((resolve) => (timer = setTimeout(resolve, DRAIN_MS)));
    await Promise.race([queries.idle(), overdue]);
    clearTimeout(timer);
    queries.cancelAll();
    monitor.close();
    connection.close();
    await running;
    health?.close();
    await Promise.allSettled([
      graph.close(),
      mcp.close(),
      integrations.close(),
      ...connectors.map((connector) => connector.close()),
    ]);
  };
  let stopping: Promise<void> | undefined;
  return {
    get connected() {
      return connection.connected;
    },
    healthPort: health?.port,
    stop: () => (stopping ??= stop()),
  };
}

async function tokenOf({ token, token_file: file }: SatelliteConfig['casebook']): Promise<string> {
  if (token !== undefined) return token;
  if (file === undefined) throw new Error('there is no token');
  const { data } = headerSecret.safeParse(await readFile(file, 'utf8'));
  if (data === undefined) throw new Error(`the token file ${file} is empty, or contains more than a token`);
  return data;
}
