/** The URL of an MCP server: its query is kept with the secrets, because that is where some servers want a key. */
import type { Target } from './connections.ts';
import type { Secrets } from './vault.ts';

/** What is not kept with the secrets, and what is. */
export function splitUrl(text: string): { url: string; secrets: Secrets } {
  const { origin, pathname, search } = new URL(text);
  return { url: origin + pathname, secrets: search === '' ? {} : { query: search } };
}

/** What a server that is connected again keeps: people cannot give again what is shown nowhere. */
export const queryIn = ({ query }: Secrets): Secrets => (query === undefined ? {} : { query });

/** Where requests go. */
export const urlOf = ({ settings, secrets }: Pick<Target, 'settings' | 'secrets'>): string =>
  `${String(settings['url'])}${secrets['query'] ?? ''}`;
