/** Migrations in the order they are applied. Written once, never changed after a release. */
import type { MigrationObject } from '@mikro-orm/core';

export const migrations: MigrationObject[] = [];
