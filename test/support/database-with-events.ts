/** What most parts of a run need: a database of their own, and the event log in it. */
import { createEventLog, type EventLog } from '../../src/platform/event-log/index.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface DatabaseWithEvents {
  database: TestDatabase;
  events: EventLog;
  stop(): Promise<void>;
}

export async function startDatabaseWithEvents(): Promise<DatabaseWithEvents> {
  const database = await createTestDatabase();
  const events = createEventLog({ databaseUrl: database.url, log: createLogger({ name: 'test', level: 'silent' }) });
  return {
    database,
    events,
    async stop() {
      await events.close();
      await database.drop();
    },
  };
}
