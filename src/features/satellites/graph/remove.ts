import type { EntityManager } from '../../../db/orm.ts';

/**
 * Deletes the graph of a satellite. Call it in the transaction that deletes the satellite, after that: whoever is
 * storing a part of the graph is waited for, and nobody begins.
 */
export async function removeGraph(em: EntityManager, satelliteId: string): Promise<void> {
  await em.execute('delete from satellite_graphs where satellite_id = ?', [satelliteId]);
  await em.execute('delete from satellite_graph_edges where satellite_id = ?', [satelliteId]);
}
