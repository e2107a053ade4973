/** The scopes of API keys, in the order people think about them. */
import type { Schema } from '../../api/client.ts';

export type Scope = Schema<'ApiKeyCreateRequest'>['scopes'][number];

export interface ScopeGroup {
  title: string;
  scopes: readonly { scope: Scope; meaning: string }[];
}

/** Every scope: a missing or unknown one is a type error. */
const MEANINGS: Record<Scope, { group: string; meaning: string }> = {
  'investigations:read': { group: 'Investigations', meaning: 'Read' },
  'investigations:write': { group: 'Investigations', meaning: 'Start, steer and cancel' },
  'chats:read': { group: 'Chats', meaning: 'Read' },
  'chats:write': { group: 'Chats', meaning: 'Write' },
  'chats:act': { group: 'Chats', meaning: 'Let chats change things outside' },
  'workspace:read': { group: 'Workspace', meaning: 'Read files' },
  'workspace:write': { group: 'Workspace', meaning: 'Change files' },
  'satellites:read': { group: 'Satellites', meaning: 'View satellites and their graph' },
  'satellites:query': { group: 'Satellites', meaning: 'Query systems behind them' },
  'satellites:act': { group: 'Satellites', meaning: 'Call tools that change something' },
  'satellites:write': { group: 'Satellites', meaning: 'Enrol and remove' },
  'monitoring:read': { group: 'Monitoring', meaning: 'Read' },
  'monitoring:write': { group: 'Monitoring', meaning: 'Create and change agents' },
  'monitoring:trigger': { group: 'Monitoring', meaning: 'Send alerts' },
  'team:read': { group: 'Team', meaning: 'See the members' },
  'team:admin': { group: 'Team', meaning: 'Everything within the team' },
  'system:admin': { group: 'Installation', meaning: 'Everything in every team' },
};

const isScope = (text: string): text is Scope => Object.hasOwn(MEANINGS, text);

/** The scopes by group, without those the caller cannot grant. */
export function scopeGroups(mayGive: (scope: Scope) => boolean): ScopeGroup[] {
  const known = Object.keys(MEANINGS).filter(isScope).filter(mayGive);
  return [...Map.groupBy(known, (scope) => MEANINGS[scope].group)].map(([title, scopes]) => ({
    title,
    scopes: scopes.map((scope) => ({ scope, meaning: MEANINGS[scope].meaning })),
  }));
}
