/** Credentials that this installation issues: shown once, stored as a keyed hash. */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new credential: its prefix and 32 random bytes. */
export const generateCredential = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64url')}`;

/**
 * The pepper for {@link hashCredential}, derived from the installation's secret key.
 * @param purpose separates kinds of credentials: the hash of one kind never matches another kind's
 */
export const pepperFor = (secretKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));

/**
 * The stored hash of a credential, hexadecimal. It needs no slow password hash, because credentials are random; the
 * pepper makes a copied table useless even for a weak one set by configuration.
 */
export const hashCredential = (credential: string, pepper: Buffer): string =>
  createHmac('sha256', pepper).update(credential).digest('hex');

/** Compares two hashes in constant time. */
export const sameHash = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b));
