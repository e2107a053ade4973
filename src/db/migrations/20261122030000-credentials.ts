import { Migration } from '@mikro-orm/migrations';

/** Renames a column in every table that has it, and the indexes named after it. */
const renameColumns = (from: string, to: string): string => `
do $$ declare found record; begin
  for found in select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = '${from}' loop
    execute format('alter table %I rename column "${from}" to "${to}"', found.name);
  end loop;
  for found in select indexname as name from pg_indexes
    where schemaname = current_schema() and indexname like '%\\_${from}\\_%' loop
    execute format('alter index %I rename to %I', found.name, replace(found.name, '${from}', '${to}'));
  end loop;
end $$;`;

/** Renames a table, and what is named after it. */
const renameTable = (from: string, to: string): string => `
do $$ declare found record; begin
  alter table "${from}" rename to "${to}";
  for found in select conname as name from pg_constraint
    where conrelid = '"${to}"'::regclass and starts_with(conname, '${from}_') loop
    execute format('alter table "${to}" rename constraint %I to %I', found.name, replace(found.name, '${from}', '${to}'));
  end loop;
  for found in select indexname as name from pg_indexes
    where schemaname = current_schema() and tablename = '${to}' and starts_with(indexname, '${from}_') loop
    execute format('alter index %I rename to %I', found.name, replace(found.name, '${from}', '${to}'));
  end loop;
end $$;`;

/** Keys and sessions become credentials, and every row records its creator in the same two columns. */
export class CredentialsMigration extends Migration {
  override up(): void {
    this.addSql(renameColumns('created_by_key_id', 'created_by_credential_id'));
    this.addSql(renameColumns('changed_by_key_id', 'created_by_credential_id'));
    this.addSql(renameColumns('changed_by_user_id', 'created_by_user_id'));
    this.addSql(renameTable('api_keys', 'credentials'));
    for (const table of ['credentials', 'satellite_tokens']) {
      this.addSql(`alter table "${table}" add column "created_by_user_id" uuid null;`);
      this.addSql(
        `update "${table}" made set "created_by_user_id" = maker."user_id" from "credentials" maker where maker."id" = made."created_by_credential_id" and maker."team_id" = made."team_id";`,
      );
    }
    this.addSql('drop index "credentials_created_by_credential_id_index";');
    this.addSql(
      'create index "credentials_created_by_credential_id_index" on "credentials" ("created_by_credential_id");',
    );
  }

  override down(): void {
    this.addSql('drop index "credentials_created_by_credential_id_index";');
    this.addSql(
      `create index "credentials_created_by_credential_id_index" on "credentials" ("created_by_credential_id") where "kind" = 'session';`,
    );
    for (const table of ['credentials', 'satellite_tokens'])
      this.addSql(`alter table "${table}" drop column "created_by_user_id";`);
    this.addSql(renameTable('credentials', 'api_keys'));
    this.addSql(
      'alter table "monitoring_plan_versions" rename column "created_by_credential_id" to "changed_by_key_id";',
    );
    this.addSql('alter table "monitoring_plan_versions" rename column "created_by_user_id" to "changed_by_user_id";');
    this.addSql(renameColumns('created_by_credential_id', 'created_by_key_id'));
  }
}
