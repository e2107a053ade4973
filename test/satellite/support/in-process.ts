/** A satellite's core within the test's process: real connection, real runner, connectors of the test's own making. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineOperation, type Connector, type OperationContext } from '@casebook/connectors';
import {
  Connection,
  endpointOf,
  healthOf,
  inventoryOf,
  Monitor,
  redactGraph,
} from '../../../satellite/connection/index.ts';
import type { ConnectionOptions } from '../../../satellite/connection/connection.ts';
import { createLog } from '../../../satellite/log.ts';
import type { GraphFeed } from '../../../satellite/graph/port.ts';
import type { McpServers } from '@casebook/mcp';
import { QueryRunner, Slots } from '../../../satellite/queries/index.ts';
import { Integrations, integrationsConfig } from '../../../satellite/integrations/index.ts';
import { createRedactor, redactionConfig } from '../../../satellite/redaction/index.ts';
import type { CasebookEnd } from './casebook-end.ts';

export const silent = createLog('silent');

export const noMcp: McpServers = {
  tools: () => [],
  omitted: () => 0,
  call: () => Promise.reject(new Error('there are no servers')),
  health: () => [],
  onChange: () => undefined,
  close: () => Promise.resolve(),
};

export const noGraph: GraphFeed = {
  attach: () => undefined,
  detach: () => undefined,
  snapshotWanted: () => undefined,
  close: () => Promise.resolve(),
};

/** A connector with one operation, `run`, that takes any `text`. */
export function connectorOf(
  id: string,
  run: (text: string, context: OperationContext) => Promise<unknown>,
  rest: Partial<Connector> = {},
): Connector {
  return {
    id,
    kind: 'http',
    title: id,
    operations: [
      defineOperation<{ text: string }>({
        name: 'run',
        description: 'Runs.',
        parameters: z.strictObject({ text: z.string().default('') }),
        tool: true,
        run: ({ text }, context) => run(text, context),
      }),
    ],
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
    ...rest,
  };
}

export interface CoreOptions {
  connectors?: Connector[];
  mcp?: McpServers;
  graph?: GraphFeed;
  times?: ConnectionOptions['times'];
  limits?: { concurrency?: number; perTarget?: number; maxWaiting?: number; timeoutMs?: number; maxBytes?: number };
  monitorMs?: number;
  /** After that, the check of a connector has failed, in ms; 10,000 unless given. */
  monitorTimeoutMs?: number;
  log?: ConnectionOptions['log'];
  url?: string;
  token?: () => Promise<string>;
}

export function startCore(end: Pick<CasebookEnd, 'url' | 'token'>, options: CoreOptions = {}) {
  const { connectors = [], mcp = noMcp, graph = noGraph, limits = {}, log = silent } = options;
  const redactor = createRedactor(redactionConfig.parse({}));
  const monitor = new Monitor(connectors, {
    redactor,
    log,
    onClusters: () => connection.changed(),
    everyMs: options.monitorMs ?? 15_000,
    timeoutMs: options.monitorTimeoutMs ?? 10_000,
  });
  const { timeoutMs = 30_000, maxBytes = 32 * 1_048_576 } = limits;
  const queries = new QueryRunner({
    systems: {
      connectors: new Map(connectors.map((connector) => [connector.id, { connector, timeoutMs, maxBytes }])),
      mcp,
      integrations: new Integrations(integrationsConfig.parse({}), log),
      timeoutMs,
      maxAnswerBytes: maxBytes,
    },
    slots: new Slots({ concurrency: 8, perTarget: 4, ...limits }),
    redactor,
    log,
  });
  const connection: Connection = new Connection({
    url: endpointOf(options.url ?? end.url).url,
    name: 'core',
    version: '1.2.3',
    instance: randomUUID(),
    token: options.token ?? (() => Promise.resolve(end.token)),
    inventory: () =>
      inventoryOf({
        version: '1.2.3',
        labels: { a: 'b' },
        connectors,
        tools: mcp.tools(),
        omitted: mcp.omitted(),
        redactor,
      }),
    clusters: () => monitor.clusters(),
    health: () => healthOf([...monitor.health(), ...mcp.health()], redactor),
    redactGraph: (message) => redactGraph(message, redactor),
    graph,
    queries,
    log,
    times: { baseMs: 20, capMs: 100, refusedCapMs: 500, ...options.times },
  });
  mcp.onChange(() => connection.changed());
  monitor.start();
  const running = connection.run();
  return {
    connection,
    queries,
    async close() {
      queries.cancelAll();
      monitor.close();
      connection.close();
      await running;
    },
  };
}
