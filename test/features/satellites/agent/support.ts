/** Satellites that are not there: what they offer is made up, and what is asked of them is recorded. */
import type { KnownSatellite, SatelliteAccess } from '../../../../src/features/satellites/agent/index.ts';
import {
  SatelliteOffline,
  SatelliteUnknown,
  type SatelliteCall,
} from '../../../../src/features/satellites/calls/port.ts';
import type { ConnectorInventory, McpTool, RequestTarget } from '@casebook/wire';
import type { LiveGraph } from '../../../../src/features/sources/port.ts';

export const LAST_SEEN = new Date('2026-11-20T10:00:00.000Z');

/** A registration, and whether its satellite is connected. */
export type FakeSatellite = KnownSatellite & { online: boolean };

export function satellite(name: string, more: Partial<FakeSatellite> = {}): FakeSatellite {
  return {
    id: `id-of-${name}`,
    name,
    inventory: { connectors: [], tools: [] },
    online: true,
    hasGraph: false,
    ...more,
  };
}

export function connector(
  id: string,
  kind: ConnectorInventory['kind'],
  ...operations: Partial<ConnectorInventory['operations'][number]>[]
): ConnectorInventory {
  return {
    id,
    kind,
    title: id,
    operations: operations.map((operation) => ({
      name: 'query',
      description: 'Asks.',
      inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
      tool: true,
      ...operation,
    })),
  };
}

export function mcpTool(server: string, name: string, more: Partial<McpTool> = {}): McpTool {
  return { server, name, description: `Does ${name}.`, inputSchema: { type: 'object' }, readOnly: true, ...more };
}

/** What a satellite answers; a promise that rejects is why it does not. */
export type Answers = (satellite: KnownSatellite, target: RequestTarget) => unknown;

export interface FakeSatellites extends SatelliteAccess {
  /** Every call that was made, in order. */
  asked: SatelliteCall[];
  loads: number;
}

/** Satellites by team; a call for another team's satellite finds none, as in the product. */
export function fakeSatellites(
  teams: Record<string, FakeSatellite[]>,
  answers: Answers = () => ({ ok: true }),
  graphs: Record<string, LiveGraph> = {},
): FakeSatellites {
  const asked: SatelliteCall[] = [];
  const access: FakeSatellites = {
    asked,
    loads: 0,
    async load(teamId) {
      access.loads += 1;
      return teams[teamId] ?? [];
    },
    graph: async (teamId, id) => (teams[teamId]?.some((one) => one.id === id) ? graphs[id] : undefined),
    calls: {
      async ask(call, signal) {
        signal.throwIfAborted();
        asked.push(call);
        const found = teams[call.teamId]?.find(({ id }) => id === call.satelliteId);
        if (!found) throw new SatelliteUnknown('Satellite not found.');
        if (!found.online) throw new SatelliteOffline(`The satellite "${found.name}" is offline.`, LAST_SEEN);
        return { text: JSON.stringify(await answers(found, call.target)), tookMs: 1 };
      },
    },
  };
  return access;
}
