import { createHash } from 'node:crypto';
import { connectorKinds, QueryError, type Connector } from '@casebook/connectors';
import type { ConnectorKind, RequestTarget } from '@casebook/wire';
import { LRUCache } from 'lru-cache';
import type { Log } from '../log.ts';
import type { IntegrationsConfig } from './config.ts';
import { createNetwork } from './network.ts';

type Target = Extract<RequestTarget, { kind: 'integration' }>;

/** Connections that nothing used for so long are closed, and their credentials forgotten. */
const IDLE_MS = 5 * 60_000;
const MAX_OPEN = 50;
/** What names a file of this machine, or a socket on it. */
const OF_THIS_MACHINE = ['ca_file', 'cert_file', 'key_file', 'tls'];

/** Opens what Casebook configures, and keeps it in memory for a while. */
export class Integrations {
  readonly #config: IntegrationsConfig;
  readonly #log: Log;
  readonly #open: LRUCache<string, Connector>;

  constructor(config: IntegrationsConfig, log: Log) {
    this.#config = config;
    this.#log = log;
    this.#open = new LRUCache({
      max: MAX_OPEN,
      ttl: IDLE_MS,
      ttlAutopurge: true,
      updateAgeOnGet: true,
      dispose: (connector) => void connector.close().catch(() => undefined),
    });
  }

  /** What is announced. */
  get kinds(): ConnectorKind[] {
    return this.#config.enabled ? [...this.#config.kinds] : [];
  }

  /** @throws {QueryError} `bad_request` when it is not allowed, or its configuration makes no sense */
  connector({ integration, connector: kind, config }: Target): Connector {
    if (!this.kinds.includes(kind))
      throw new QueryError(
        'bad_request',
        `this satellite's configuration does not let Casebook connect it to a ${kind}`,
      );
    const key = createHash('sha256')
      .update(JSON.stringify([integration, kind, config]))
      .digest('hex');
    const known = this.#open.get(key);
    if (known) return known;
    const named = OF_THIS_MACHINE.find((member) => member in config);
    if (named !== undefined) throw new QueryError('bad_request', `${named} names a file of the satellite's machine`);
    const definition = connectorKinds[kind];
    const parsed = definition.config.safeParse(config);
    if (!parsed.success) {
      // Without the values: they may be secret.
      const [issue] = parsed.error.issues;
      throw new QueryError('bad_request', `${issue!.path.join('.') || 'the configuration'}: ${issue!.message}`);
    }
    const network = createNetwork(this.#config);
    const made = definition.create(parsed.data, { id: integration, title: integration, log: this.#log, network });
    this.#open.set(key, made);
    return made;
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(all.map((connector) => connector.close()));
  }
}
