import { Migration } from '@mikro-orm/migrations';

/** Notifications become effects: a row before sending, and the outcome. */
export class NotificationsMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "effects" add column "subject_id" uuid null;`);
    this.addSql(`create index "effects_subject_id_created_at_index" on "effects" ("subject_id", "created_at");`);
    this.addSql(
      `insert into effects (id, created_at, updated_at, team_id, kind, key, payload, status, target, receipt, attempts, last_error, finished_at, owner_id, subject_id)
       select id, created_at, updated_at, team_id, 'notification', key,
              (message - 'agentId' - 'agent' - 'findingId') || jsonb_build_object(
                'sender', jsonb_build_object('id', message->'agentId', 'title', message->'agent'),
                'data', jsonb_build_object(
                  'agent', jsonb_build_object('id', message->'agentId', 'title', message->'agent'),
                  'finding', case when finding_id is null then null else jsonb_build_object('id', finding_id) end),
                'isOver', event = 'resolved', 'isBroadcast', event = 'reopened'),
              case status when 'delivered' then 'done' else status end,
              case when channel_type is not null then jsonb_build_object('type', channel_type, 'label', channel_label) end,
              case when status = 'delivered' then jsonb_strip_nulls(jsonb_build_object('receipt', receipt, 'thread', thread)) end,
              attempts, last_error,
              case status when 'pending' then null when 'delivered' then delivered_at else updated_at end, agent_id, finding_id
         from monitoring_notifications;`,
    );
    this.addSql(`drop table "monitoring_notifications";`);
  }

  override down(): void {
    this.addSql(
      `create table "monitoring_notifications" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "agent_id" uuid not null, "finding_id" uuid null, "key" text not null, "event" text not null, "channel_type" text null, "channel_label" text null, "status" text not null, "message" jsonb not null, "attempts" int not null default 0, "last_error" text null, "receipt" text null, "thread" jsonb null, "delivered_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "monitoring_notifications_team_id_index" on "monitoring_notifications" ("team_id");`);
    this.addSql(
      `create index "monitoring_notifications_finding_id_created_at_index" on "monitoring_notifications" ("finding_id", "created_at");`,
    );
    this.addSql(
      `create index "monitoring_notifications_agent_id_created_at_index" on "monitoring_notifications" ("agent_id", "created_at");`,
    );
    this.addSql(
      `alter table "monitoring_notifications" add constraint "monitoring_notifications_team_id_key_unique" unique ("team_id", "key");`,
    );
    this.addSql(
      `insert into monitoring_notifications (id, created_at, updated_at, team_id, agent_id, finding_id, key, event, channel_type, channel_label, status, message, attempts, last_error, receipt, thread, delivered_at)
       select id, created_at, updated_at, team_id, owner_id, subject_id, key, payload->>'event', target->>'type', target->>'label',
              case status when 'done' then 'delivered' else status end,
              (payload - 'sender' - 'data' - 'isOver' - 'isBroadcast') || jsonb_strip_nulls(jsonb_build_object(
                'agentId', payload->'sender'->'id', 'agent', payload->'sender'->'title', 'findingId', subject_id)),
              attempts, last_error, receipt->>'receipt', receipt->'thread', case status when 'done' then finished_at end
         from effects where kind = 'notification';`,
    );
    this.addSql(
      `alter table "monitoring_notifications" add constraint "monitoring_notifications_status_check" check ("status" in ('pending', 'delivered', 'failed', 'skipped'));`,
    );
    this.addSql(`delete from effects where kind = 'notification';`);
    this.addSql(`alter table "effects" drop column "subject_id";`);
  }
}
