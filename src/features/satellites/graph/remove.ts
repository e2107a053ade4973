import type { EntityManager } from '../../../db/orm.ts';

/**
 * Deletes a satellite's graph. Call it in the transaction that deletes the satellite, after that deletion: it waits for
 * a writer in progress and keeps new ones out.
 */
export async function removeGraph(em: EntityManager, satelliteId: string): Promise<void> {
  await em.execute('delete from satellite_graphs where satellite_id = ?', [satelliteId]);
  await em.execute('delete from satellite_graph_edges where satellite_id = ?', [satelliteId]);
}
