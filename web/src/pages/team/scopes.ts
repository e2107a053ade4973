import type { Schema } from '../../api/client.ts';

type KnownScope = Schema<'ApiKeyListResponse'>['scopes'][number];

export type Scope = KnownScope['scope'];

/** The scopes that the caller can grant, by topic. */
export const scopesByTopic = (known: readonly KnownScope[], mayGive: (scope: Scope) => boolean) =>
  Map.groupBy(
    known.filter(({ scope }) => mayGive(scope)),
    ({ scope }) => scope.replace(/:.*/, ''),
  );
