/**
 * `npm run admin -- COMMAND`: what an operator does with direct access to the database. Configured like the API
 * (DATABASE_URL, CASEBOOK_SECRET_KEY, CASEBOOK_HOME).
 */
import { parseArgs } from 'node:util';
import { loadConfig, type Config } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { openOrm, type Orm } from '../db/orm.ts';
import { runningInstance } from '../embedded/instance.ts';
import { addAdminKey, pepperFrom } from '../features/teams/index.ts';
import { hashCredential, loadSecretKey } from '../platform/secrets/index.ts';
import { messageOf } from '../platform/message-of.ts';

const USAGE = `Usage: npm run admin -- COMMAND
  migrate                    brings the schema up to date
  create-key [--name NAME]   makes an admin key of the first team and prints it, once`;

interface Context {
  config: Config;
  orm: Orm;
  databaseUrl: string;
  name: string;
}

const commands: Record<string, (context: Context) => Promise<void>> = {
  async migrate({ databaseUrl }) {
    await migrate(databaseUrl);
    console.log('The schema is up to date.');
  },
  async 'create-key'({ orm, config, name }) {
    const pepper = pepperFrom(await loadSecretKey(config));
    console.log(await addAdminKey(orm.em, { name, hash: (apiKey) => hashCredential(apiKey, pepper) }));
  },
};

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { name: { type: 'string', default: 'Made by the admin command' } },
  });
  const [name = ''] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || positionals.length > 1) throw new Error(USAGE);
  const config = loadConfig();
  const databaseUrl = config.databaseUrl ?? runningInstance(config.home)?.databaseUrl;
  if (databaseUrl === undefined) throw new Error('DATABASE_URL is not set, and nothing runs in CASEBOOK_HOME.');
  const orm = await openOrm({ databaseUrl });
  try {
    await command({ config, orm, databaseUrl, name: values.name });
  } finally {
    await orm.close(true);
  }
}

try {
  await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
