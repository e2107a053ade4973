import { Migration } from '@mikro-orm/migrations';

type Reference = [table: string, column: string, parent: string, ofOrphans?: 'clear'];

const OF_TEAMS = [
  'credentials',
  'auxiliary_calls',
  'chats',
  'citation_extractions',
  'conversations',
  'effects',
  'memberships',
  'model_turns',
  'monitoring_agents',
  'monitoring_findings',
  'monitoring_plan_versions',
  'monitoring_sessions',
  'runs',
  'satellite_graph_edges',
  'satellite_graphs',
  'satellite_requests',
  'satellite_tokens',
  'satellites',
  'tool_calls',
  'messages',
  'workspace_draft_changes',
  'workspace_drafts',
];

/** Parents before their children, so that what is removed with a parent that is gone takes its own children along. */
const REFERENCES: Reference[] = [
  ...OF_TEAMS.map((table): Reference => [table, 'team_id', 'teams']),
  ['memberships', 'user_id', 'users'],
  ['credentials', 'user_id', 'users', 'clear'],
  ['investigations', 'rerun_of_id', 'investigations', 'clear'],
  ['chats', 'investigation_id', 'investigations', 'clear'],
  ['chat_turns', 'chat_id', 'chats'],
  ['runs', 'conversation_id', 'conversations'],
  ['model_turns', 'conversation_id', 'conversations'],
  ['tool_calls', 'conversation_id', 'conversations'],
  ['messages', 'conversation_id', 'conversations'],
  ['workspace_draft_changes', 'draft_id', 'workspace_drafts'],
  ['satellite_graphs', 'satellite_id', 'satellites'],
  ['satellite_graph_edges', 'satellite_id', 'satellite_graphs'],
  ['monitoring_plan_versions', 'agent_id', 'monitoring_agents'],
  ['monitoring_sessions', 'agent_id', 'monitoring_agents'],
  ['monitoring_findings', 'agent_id', 'monitoring_agents'],
  ['monitoring_findings', 'investigation_id', 'investigations', 'clear'],
];

/**
 * Foreign keys are the net under deletion in parts: children go first, and a parent that still has some stays. Rows of
 * parents that are gone are removed; a mere mention of one is cleared. Keys are checked at the end of a transaction, which
 * may write and delete in any order.
 */
export class ForeignKeysMigration extends Migration {
  override up(): void {
    // A conversation is marked before it is deleted, so nothing is added while its parts go.
    this.addSql(`alter table "conversations" add column "deleted_at" timestamptz null;`);
    for (const [table, column, parent, ofOrphans] of REFERENCES) {
      const orphans = `"${column}" is not null and not exists (select 1 from "${parent}" p where p."${keyOf(parent)}" = "${table}"."${column}")`;
      this.addSql(
        ofOrphans === 'clear'
          ? `update "${table}" set "${column}" = null where ${orphans};`
          : `delete from "${table}" where ${orphans};`,
      );
    }
    for (const [table, column, parent] of REFERENCES)
      this.addSql(
        `alter table "${table}" add constraint "${table}_${column}_foreign" foreign key ("${column}") references "${parent}" ("${keyOf(parent)}") deferrable initially deferred;`,
      );
  }

  override down(): void {
    for (const [table, column] of REFERENCES)
      this.addSql(`alter table "${table}" drop constraint "${table}_${column}_foreign";`);
    this.addSql(`alter table "conversations" drop column "deleted_at";`);
  }
}

const keyOf = (table: string): string => (table === 'satellite_graphs' ? 'satellite_id' : 'id');
