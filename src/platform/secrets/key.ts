import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Config } from '../../config.ts';

/**
 * The key of the secrets at rest: `CASEBOOK_SECRET_KEY`, or outside production one kept in `HOME/secret-key`, generated
 * on first use and readable only by its owner. Processes that start simultaneously agree on one key.
 * @throws {ConfigError} in production without a configured key, and when the file holds no valid key
 */
export async function loadSecretKey(config: Pick<Config, 'secretKey' | 'home' | 'nodeEnv'>): Promise<Buffer> {
  if (config.secretKey !== undefined) return Buffer.from(config.secretKey, 'hex');
  if (config.nodeEnv === 'production') throw new ConfigError('CASEBOOK_SECRET_KEY: is required in production');
  const path = join(config.home, 'secret-key');
  const existing = await readKey(path);
  if (existing) return existing;
  await mkdir(config.home, { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // link(2) is atomic and never replaces a file: the first process wins, and nobody reads half a key.
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKey(path);
  if (!key) throw new ConfigError(`${path}: could not be written`);
  return key;
}

async function readKey(path: string): Promise<Buffer | undefined> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new ConfigError(`${path}: must contain 32 bytes in hexadecimal`);
  return Buffer.from(text, 'hex');
}
