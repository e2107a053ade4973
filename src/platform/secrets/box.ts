import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

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
  /** Derives a key for another use (HKDF-SHA256), deterministic for a label and secret key. */
  derive(label: string): Buffer;
}

/** @param keys 32 bytes each: the first one seals, all of them open, so that a key can be rotated */
export function createSecretBox(keys: [Buffer, ...Buffer[]]): SecretBox {
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
    derive: (label) => Buffer.from(hkdfSync('sha256', current, Buffer.alloc(0), `casebook:${label}`, KEY_BYTES)),
  };
}

/** Identifies a key without revealing it. */
const keyId = (key: Buffer): string =>
  createHash('sha256').update('casebook key id').update(key).digest('hex').slice(0, 8);
