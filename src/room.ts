import type { EntitySchema } from '@mikro-orm/core';
import type { Endpoint } from './http/endpoint.ts';

/**
 * What the house takes from a room, which exports one value of this type through its door. A room has only the parts
 * it needs.
 */
export interface Room {
  /** The folder's name. */
  name: string;
  endpoints?: readonly Endpoint<never>[];
  entities?: readonly EntitySchema[];
}
