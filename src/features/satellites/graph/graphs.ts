/** The graph that a question is about: one satellite's, or the union of a team's. */
import { LRUCache } from 'lru-cache';
import type { GraphHead, HeadReader } from './heads.ts';
import type { Graphs } from './query/ask.ts';
import { callGraph } from './query/call-graph.ts';
import { cycleGroups } from './query/cycles.ts';
import { loadOf } from './query/impact.ts';
import type { TableCache } from './tables.ts';

export interface GraphReader {
  /** @param satelliteId by default, all of the team's. A satellite that is not the team's has no graph. */
  read(teamId: string, satelliteId?: string): Promise<Graphs>;
}

/** @param maxEdges of all graphs kept in memory together */
export function createGraphReader(heads: HeadReader, tables: TableCache, maxEdges: number): GraphReader {
  const ready = new LRUCache<string, Pick<Graphs, 'graph' | 'load' | 'groups'> & { versions: string }>({
    maxSize: maxEdges,
    sizeCalculation: ({ graph }) => graph.edges + 1,
  });

  return {
    async read(teamId, satelliteId) {
      const all = await heads.read(teamId);
      const satellites = satelliteId === undefined ? all : all.filter(({ id }) => id === satelliteId);
      const seen = await inTurn(satellites, (head) => withTable(tables, teamId, head));
      const versions = seen.map(({ id, version }) => `${id}@${version}`).join();
      const key = `${teamId}/${satelliteId ?? ''}`;
      let entry = ready.get(key);
      if (entry?.versions !== versions) {
        const graph = callGraph(seen.map(({ table }) => table));
        entry = { versions, graph, load: loadOf(graph), groups: cycleGroups(graph) };
        ready.set(key, entry);
      }
      const { graph, load, groups } = entry;
      return { graph, load, groups, satellites, tables: seen };
    },
  };
}

type Seen = Graphs['tables'][number] & { id: string; version: number };

async function withTable(
  tables: TableCache,
  teamId: string,
  { id, name, asOf, version }: GraphHead,
): Promise<Seen | undefined> {
  if (version === undefined || !asOf) return undefined;
  const read = await tables.read(teamId, id, version);
  return read && { id, name, asOf, ...read };
}

/** Sequential: many satellites must not take all database connections. */
async function inTurn(
  heads: readonly GraphHead[],
  read: (head: GraphHead) => Promise<Seen | undefined>,
): Promise<Seen[]> {
  const found: Seen[] = [];
  for (const head of heads) {
    const seen = await read(head);
    if (seen) found.push(seen);
  }
  return found;
}
