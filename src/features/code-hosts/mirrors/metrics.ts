import { Gauge, type Registry } from 'prom-client';
import type { Orm } from '../../../db/orm.ts';

/** How many mirrors there are and what they take, for `/metrics`. Every API node says the same. */
export function registerMirrorMetrics(registry: Registry, { em }: Pick<Orm, 'em'>): void {
  const gauge = (name: string, help: string, select: string): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        const [row] = await em
          .fork()
          .execute<{ value: string | null }[]>(`select ${select} as value from repositories`);
        made.set(Number(row?.value ?? 0));
      },
    });
    registry.registerMetric(made);
  };
  gauge('casebook_mirrors', 'Mirrors of repositories.', 'count(*) filter (where synced_at is not null)');
  gauge('casebook_mirrors_bytes', 'Bytes on disk of all mirrors.', 'sum(size_bytes)');
  gauge('casebook_mirrors_failing', 'Mirrors that are not up to date because of an error.', 'count(error)');
}
