import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  createHmac,
  timingSafeEqual,
} from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** A sealed secret that cannot be opened: it was sealed with another key, belongs to another team, or was altered. */
export class SecretError extends Error {
  override name = 'SecretError';
}

/** Seals secrets for storage (AES-256-GCM). */
export interface SecretBox {
  /**
   * @param context what the secret belongs to, e.g. the team's id; it is not stored, but required to open the secret
   * @returns text of the form `v1.KEYID.BASE64URL(iv, tag, ciphertext)`
   */
  seal(plaintext: string, context: string): string;
  /** @throws {SecretError} */
  open(sealed: string, context: string): string;
  /** Whether a sealed secret needs an earlier key. */
  isOld(sealed: string): boolean;
  /** Derives a key for another use (HKDF-SHA256), deterministic for a label and secret key. */
  derive(label: string): Buffer;
}

/** 32 bytes each. The first one is in use; the others are earlier ones, so that a key can be rotated. */
export type SecretKeys = readonly [Buffer, ...Buffer[]];

/** @param keys the first one seals, all of them open */
export function createSecretBox(keys: SecretKeys): SecretBox {
  if (keys.some((key) => key.length !== KEY_BYTES)) throw new SecretError('A secret key must have 32 bytes.');
  const [current] = keys;
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  return {
    seal(plaintext, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return `v1.${keyId(current)}.${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, id, data, ...rest] = sealed.split('.');
      const key = byId.get(id ?? '');
      if (version !== 'v1' || data === undefined || rest.length > 0)
        throw new SecretError('This is not a sealed secret.');
      if (!key) throw new SecretError('The secret was sealed with a key that is not configured.');
      const bytes = Buffer.from(data, 'base64url');
      if (bytes.length < IV_BYTES + TAG_BYTES) throw new SecretError('The sealed secret is truncated.');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        const plaintext = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
        return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SecretError('The sealed secret does not belong here or was altered.', { cause });
      }
    },
    isOld: (sealed) => sealed.split('.')[1] !== keyId(current),
    derive: (label) => Buffer.from(hkdfSync('sha256', current, Buffer.alloc(0), `casebook:${label}`, KEY_BYTES)),
  };
}

/** Identifies a key without revealing it. */
const keyId = (key: Buffer): string =>
  createHash('sha256').update('casebook key id').update(key).digest('hex').slice(0, 8);

/**
 * A new credential: its prefix and 32 random bytes. Credentials that this installation issues are shown once and stored
 * as a keyed hash.
 */
export const generateCredential = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64url')}`;

/** Hashes credentials for storage: HMAC-SHA256, hexadecimal. */
export interface Pepper {
  hash(credential: string): string;
  /** The hash of each secret key, the current one's first: one of them is stored. */
  hashes(credential: string): string[];
}

/**
 * A pepper, derived from the installation's secret keys. It needs no slow password hash, because credentials are random;
 * the pepper makes a copied table useless even for a weak one set by configuration.
 * @param purpose separates kinds of credentials: the hash of one kind never matches another kind's
 */
export function pepperFor(keys: SecretKeys, purpose: string): Pepper {
  const [current, ...earlier] = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
  const hashBy = (pepper: Buffer, credential: string): string =>
    createHmac('sha256', pepper).update(credential).digest('hex');
  const hash = (credential: string): string => hashBy(current!, credential);
  return { hash, hashes: (credential) => [hash(credential), ...earlier.map((pepper) => hashBy(pepper, credential))] };
}

/** Compares two hashes in constant time. */
export const sameHash = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b));

/**
 * The keys of the secrets at rest: that of {@link loadSecretKey}, then those of `CASEBOOK_PREVIOUS_SECRET_KEYS`.
 * @throws {ConfigError}
 */
export const loadSecretKeys = async (
  config: Pick<Config, 'secretKey' | 'previousSecretKeys' | 'home' | 'nodeEnv'>,
): Promise<SecretKeys> => [
  await loadSecretKey(config),
  ...config.previousSecretKeys.map((key) => Buffer.from(key, 'hex')),
];

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
