/**
 * `npm run admin -- COMMAND`: operator commands with direct database access. Configured like the API (DATABASE_URL,
 * CASEBOOK_SECRET_KEY, CASEBOOK_HOME).
 */
import { parseArgs } from 'node:util';
import { entities, loadConfig, sealedColumns, type FullConfig } from '../rooms.ts';
import { migrate } from '../db/migrate.ts';
import { openOrm, type Orm } from '../db/orm.ts';
import { reseal } from '../db/reseal.ts';
import { runningInstance } from '../embedded/instance.ts';
import { addAdminKey, createOperatorLink, linkUrl, localPath, pepperFrom } from '../features/identity/index.ts';
import { createSecretBox, loadSecretKeys } from '../platform/secrets.ts';
import { messageOf } from '../platform/message-of.ts';

const USAGE = `Usage: npm run admin -- COMMAND
  migrate                    brings the schema up to date
  reseal                     seals every stored secret with CASEBOOK_SECRET_KEY; keys of CASEBOOK_PREVIOUS_SECRET_KEYS
                             open them, and are not needed afterwards. The service may run meanwhile
  create-key [--name NAME]   creates an admin key for the first team and prints it once
  sign-in-link [--user EMAIL] [--path PATH] [--minutes N]
                             creates a link that signs a browser in once, within an hour or N minutes: as that member, or
                             without --user with every permission in the first team`;

/** The endpoint's own bounds for a link's lifetime. */
const MAX_MINUTES = 7 * 24 * 60;

interface Context {
  config: FullConfig;
  orm: Orm;
  databaseUrl: string;
  appUrl: string;
  name: string;
  user?: string;
  path: string;
  minutes: string;
}

const hashBy = async (config: FullConfig): Promise<(secret: string) => string> => {
  const pepper = pepperFrom(await loadSecretKeys(config));
  return (secret) => pepper.hash(secret);
};

const commands: Record<string, (context: Context) => Promise<void>> = {
  async migrate({ databaseUrl }) {
    await migrate(databaseUrl, console.log);
    console.log('The schema is up to date.');
  },
  async reseal({ orm, config }) {
    const { resealed, unreadable } = await reseal(orm, createSecretBox(await loadSecretKeys(config)), sealedColumns);
    console.log(`${resealed} ${resealed === 1 ? 'secret was' : 'secrets were'} sealed with the current key.`);
    if (unreadable === 0) return;
    const what = unreadable === 1 ? 'One could not be opened: its' : `${unreadable} could not be opened: their`;
    throw new Error(`${what} key is not in CASEBOOK_PREVIOUS_SECRET_KEYS.`);
  },
  async 'create-key'({ orm, config, name }) {
    console.log(await addAdminKey(orm.em, { name, hash: await hashBy(config) }));
  },
  async 'sign-in-link'({ orm, config, appUrl, user: email, path, minutes }) {
    const lasts = Number(minutes);
    if (!Number.isInteger(lasts) || lasts < 1 || lasts > MAX_MINUTES)
      throw new Error(`--minutes must be a whole number from 1 to ${MAX_MINUTES}.`);
    const target = localPath(path);
    if (target === undefined || target.includes('#'))
      throw new Error('--path must be a path of the web app, like /chats.');
    const expiresAt = new Date(Date.now() + lasts * 60_000);
    const { token } = await createOperatorLink(orm.em, { email, expiresAt, hash: await hashBy(config) });
    console.log(linkUrl(appUrl, target, token));
  },
};

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'Created by the admin command' },
      user: { type: 'string' },
      path: { type: 'string', default: '/' },
      minutes: { type: 'string', default: '60' },
    },
  });
  const [name = ''] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || positionals.length > 1) throw new Error(USAGE);
  const config = loadConfig();
  const instance = runningInstance(config.home);
  const databaseUrl = config.databaseUrl ?? instance?.databaseUrl;
  if (databaseUrl === undefined) throw new Error('DATABASE_URL is not set, and nothing runs in CASEBOOK_HOME.');
  const orm = await openOrm({ databaseUrl, entities });
  try {
    const appUrl = config.appUrl ?? instance?.apiUrl ?? `http://localhost:${config.port}`;
    await command({ config, orm, databaseUrl, appUrl, ...values });
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
