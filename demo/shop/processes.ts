import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import type { ChildSpec } from '../../src/embedded/supervisor.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';
import { serviceNames, type ServiceName } from './description.ts';

export type ShopAddresses = Record<ServiceName, string>;

/** A free loopback port for every service of the shop. */
export async function shopAddresses(): Promise<ShopAddresses> {
  const found = new Map<ServiceName, number>();
  for (const name of serviceNames) {
    let port = await freePort();
    while ([...found.values()].includes(port)) port = await freePort();
    found.set(name, port);
  }
  const url = (name: ServiceName) => `http://127.0.0.1:${found.get(name)}`;
  return {
    storefront: url('storefront'),
    checkout: url('checkout'),
    payments: url('payments'),
    orders: url('orders'),
    inventory: url('inventory'),
    catalog: url('catalog'),
  };
}

/**
 * The processes of the shop: its services and its customers.
 * @param options.home folder of all embedded state; distinguishes this shop from others
 */
export function shopProcesses(options: {
  home: string;
  addresses: ShopAddresses;
  lokiUrl?: string;
  otlpUrl?: string;
}): ChildSpec[] {
  const { home, addresses, lokiUrl, otlpUrl } = options;
  const env = {
    ...process.env,
    CASEBOOK_HOME: home,
    SHOP_ADDRESSES: JSON.stringify(addresses),
    SHOP_LOKI_URL: lokiUrl,
    SHOP_OTLP_URL: otlpUrl,
  };
  const child = (name: string, program: string, args: string[], ready: ChildSpec['ready']): ChildSpec => ({
    name: `shop-${name}`,
    marks: [program, `CASEBOOK_HOME=${home}\n`],
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 2_000,
    command: process.execPath,
    args: [program, ...args],
    env,
    ready,
  });
  const services = serviceNames.map((name) =>
    child(name, join(import.meta.dirname, 'service.ts'), [name], (signal) =>
      untilServes(name, addresses[name], signal),
    ),
  );
  return [...services, child('customers', join(import.meta.dirname, 'customers.ts'), [], async () => undefined)];
}

async function untilServes(name: ServiceName, address: string, signal: AbortSignal): Promise<void> {
  await waitUntil(
    async () => {
      const response = await fetch(`${address}/healthz`, { signal });
      return (await response.text()) === name || undefined;
    },
    { what: `the shop's ${name} at ${address}`, timeoutMs: 30_000, signal },
  );
}

/** Injects a fault into a service, or ends it with `none`. @throws if the service does not accept it */
export async function injectFault(addresses: ShopAddresses, service: ServiceName, kind: string): Promise<void> {
  const response = await fetch(`${addresses[service]}/fault`, { method: 'POST', body: JSON.stringify({ kind }) });
  if (!response.ok) throw new Error(`${service} did not take the fault: ${await response.text()}`);
}
