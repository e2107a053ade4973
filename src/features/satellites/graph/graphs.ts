/** The graph that a question is about: of one satellite, or the union of a team's. */
import { LRUCache } from 'lru-cache';
import type { GraphHead, HeadReader } from './heads.ts';
import type { Graphs } from './query/ask.ts';
import { callGraph } from './query/call-graph.ts';
import { cycleGroups } from './query/cycles.ts';
import { loadOf } from './query/impact.ts';
import type { TableCache } from './tables.ts';

export interface GraphReader {
  /** @param satelliteId absent: all of the team's. Of one that the team does not have, no graph at all. */
  read(teamId: string, satelliteId?: string): Promise<Graphs>;
}

/** @param maxEdges of all graphs together that are kept ready for questions */
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

/** One after the other: many satellites must not take all connections to the database. */
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
