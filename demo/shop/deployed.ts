/** The part of a service whose code comes from its repository, so that a commit can break it. */
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Connection, ConnectionPool } from './pool.ts';

/** What the repository's module exports: it serves one request's query. */
type Handle = (connect: () => Promise<Connection>, request: { number: number }) => Promise<number | undefined>;

const module = z.object({ handle: z.custom<Handle>((value) => typeof value === 'function') });

/** A version of the code, as it was deployed. */
export const deployment = z.object({ file: z.string(), version: z.string() });
export type Deployment = z.output<typeof deployment>;

/** Runs whatever version was deployed last; before the first, the service's own code. */
export class Deployed {
  private handle: Handle | undefined;
  private requests = 0;

  /** @throws if the file is not a module with a `handle` */
  async deploy({ file }: Deployment): Promise<void> {
    const loaded: unknown = await import(pathToFileURL(file).href);
    this.handle = module.parse(loaded).handle;
  }

  /** @returns how long the query took, ms */
  async query(pool: ConnectionPool, ms: number): Promise<number> {
    const { handle } = this;
    if (!handle) return pool.query(ms);
    const number = ++this.requests;
    return pool.within(ms, async (connect) => (await handle(connect, { number })) ?? 0);
  }
}
