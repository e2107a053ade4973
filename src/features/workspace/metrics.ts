import { Gauge, type Registry } from 'prom-client';
import type { LiveGateway } from './live/gateway.ts';
import type { WorkspaceUpkeep } from './port.ts';

/** How long a measured size is reported, in ms: it walks through all files. */
const MEASURED_FOR_MS = 5 * 60_000;

/** The metrics of workspaces, for `/metrics`. */
export function registerWorkspaceMetrics(
  registry: Registry,
  { gateway, workspaces }: { gateway: LiveGateway; workspaces: WorkspaceUpkeep },
): void {
  const sockets: Gauge = new Gauge({
    name: 'casebook_workspace_sockets',
    help: 'Open WebSockets that follow a workspace, on this process.',
    registers: [registry],
    collect: () => sockets.set(gateway.count()),
  });
  let measured = -Infinity;
  const size: Gauge = new Gauge({
    name: 'casebook_workspaces_bytes',
    help: 'Size of all workspaces on disk, without mirrors. Measured every five minutes.',
    registers: [registry],
    async collect() {
      const now = performance.now();
      if (now - measured < MEASURED_FOR_MS) return;
      measured = now;
      size.set(await workspaces.size());
    },
  });
}
