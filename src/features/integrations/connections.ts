/** Opens integrations: one connector each, kept as long as its settings stay the same, and closed when it is not used. */
import {
  connectionTest,
  connectorKinds,
  localTransport,
  openCodeHost,
  QueryError,
  TEST_CONNECTION,
  type CodeHost,
  type ConnectionTest,
  type Connector,
  type ConnectorOperation,
  type OperationContext,
  type Transport,
} from '@casebook/connectors';
import { MAX_ANSWER_BYTES } from '@casebook/wire';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { messageOf } from '../../platform/message-of.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { SourceCall } from '../sources/index.ts';
import type { Vendors } from './configuration.ts';
import type { Integration } from './entities.ts';
import { families, type Settings } from './families.ts';
import type { Secrets } from './vault.ts';

const TEST_MS = 20_000;
const TEST_BYTES = 1_000_000;
/** Connections that no call used for so long are closed. */
const IDLE_MS = 5 * 60_000;
const MAX_OPEN = 500;

/** What it takes to reach a system; a row has it, and so has a request to make one. */
export type Target = Pick<Integration, 'id' | 'teamId' | 'family' | 'slug' | 'revision'> & {
  settings: Settings;
  secrets: Secrets;
  via: string | null;
};

/** Reaches a system through one of the team's satellites. */
export type OverSatellite = (
  call: Pick<SourceCall, 'teamId' | 'isGivenUp' | 'onWait'> & { requestId?: string },
  target: { satellite: string; integration: string; connector: Connector['kind']; config: Settings },
) => Transport;

export interface ConnectionDeps {
  vendors: Vendors;
  /** For hosts that teams name. */
  outbound: Outbound;
  /** For vendors, whose addresses only the operator can change. */
  vendorOutbound: Outbound;
  overSatellite: OverSatellite;
  log: Logger;
}

export interface Connections {
  /** What the system can be asked. Connects to nothing. @throws {QueryError} when its settings make no sense */
  operations(target: Target): readonly ConnectorOperation[];
  /** @throws {QueryError} when there is no answer */
  call(
    target: Target,
    operation: string,
    parameters: Record<string, unknown>,
    context: OperationContext & { call?: Pick<SourceCall, 'isGivenUp' | 'onWait'> & { requestId?: string } },
  ): Promise<unknown>;
  /** Where its system may be: what a team names must not be inside the operator's network. */
  networkOf(target: Pick<Target, 'family' | 'settings'>): Outbound['network'];
  /** What a code host can do besides. Connects to nothing. @throws {QueryError} when its settings make no sense */
  codeHost(target: Target): CodeHost;
  /** Tests a system over a connection of its own. Never throws because of the system. */
  test(target: Target, signal?: AbortSignal): Promise<ConnectionTest>;
  close(): Promise<void>;
}

export function createConnections({
  vendors,
  outbound,
  vendorOutbound,
  overSatellite,
  log,
}: ConnectionDeps): Connections {
  const open = new LRUCache<string, Connector>({
    max: MAX_OPEN,
    ttl: IDLE_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: (connector) =>
      void connector.close().catch((error: unknown) => log.warn({ err: error }, 'a connection could not be closed')),
  });

  /** They have nothing to close. */
  const hosts = new LRUCache<string, CodeHost>({ max: MAX_OPEN, ttl: IDLE_MS, updateAgeOnGet: true });

  const configOf = ({ family, settings, secrets }: Target): Settings =>
    families[family].config(settings, secrets, vendors);

  const networkOf: Connections['networkOf'] = ({ family, settings }) =>
    (families[family].namesHost(settings) ? outbound : vendorOutbound).network;

  /** What a kind of connector takes. @throws {QueryError} when the settings make no sense */
  const parsedFor = (target: Target) => {
    const { connector: kind, vendor } = families[target.family];
    if (kind === undefined) throw new QueryError('failed', `${vendor} has no connector.`);
    const definition = connectorKinds[kind];
    const parsed = definition.config.safeParse(configOf(target));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new InvalidSettings(String(issue!.path[0] ?? ''), `${issue!.path.join('.')}: ${issue!.message}`);
    }
    return { definition, config: parsed.data, network: networkOf(target), vendor };
  };

  const create = (target: Target): Connector => {
    const { definition, config, network, vendor } = parsedFor(target);
    return definition.create(config, { id: target.slug, title: vendor, log, network });
  };

  const keyOf = ({ teamId, id, revision }: Target): string => `${teamId} ${id} ${revision}`;

  const connectorOf = (target: Target): Connector => {
    const key = keyOf(target);
    const known = open.get(key) ?? create(target);
    open.set(key, known);
    return known;
  };

  const transportOf = (
    target: Target,
    connector: Connector,
    call: Pick<SourceCall, 'isGivenUp' | 'onWait'> & { requestId?: string } = {},
  ): Transport => {
    const { via, teamId, slug } = target;
    if (via === null) return localTransport(connector, slug);
    const config = configOf(target);
    return overSatellite({ ...call, teamId }, { satellite: via, integration: slug, connector: connector.kind, config });
  };

  return {
    networkOf,
    operations: (target) => connectorOf(target).operations,
    async call(target, operation, parameters, { call, ...context }) {
      return transportOf(target, connectorOf(target), call).call(operation, parameters, context);
    },
    codeHost(target) {
      const key = keyOf(target);
      const known = hosts.get(key);
      if (known) return known;
      const { definition, network } = parsedFor(target);
      const { kind } = definition;
      if (kind !== 'github' && kind !== 'gitlab' && kind !== 'gitea') throw new Error(`${kind} is no code host`);
      const host = openCodeHost(kind, configOf(target), { network, log });
      hosts.set(key, host);
      return host;
    },
    async test(target, signal) {
      const began = performance.now();
      const timeout = AbortSignal.timeout(TEST_MS);
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const context = { signal: either, maxBytes: Math.min(TEST_BYTES, MAX_ANSWER_BYTES), remainingMs: TEST_MS };
      const failed = (error: unknown): ConnectionTest => ({
        status: error instanceof InvalidSettings ? 'refused' : 'unreachable',
        ...(error instanceof InvalidSettings && { field: error.field }),
        message: timeout.aborted ? `No answer within ${TEST_MS / 1_000} s.` : messageOf(error),
        latencyMs: performance.now() - began,
        warnings: [],
        resources: [],
      });
      let connector: Connector | undefined;
      try {
        connector = create(target);
        const answer = await transportOf(target, connector).call(TEST_CONNECTION, {}, context);
        return connectionTest.parse(answer);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof QueryError || error instanceof z.ZodError || timeout.aborted) return failed(error);
        throw error;
      } finally {
        await connector?.close().catch(() => undefined);
      }
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.allSettled(all.map((connector) => connector.close()));
    },
  };
}

/** A connector does not accept its settings. */
class InvalidSettings extends QueryError {
  readonly field: string;
  constructor(field: string, message: string) {
    super('bad_request', message);
    this.field = field;
  }
}
