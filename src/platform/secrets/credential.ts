/** Credentials that this installation hands out: shown once, stored as a keyed hash. */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new credential: what it begins with, and 32 random bytes. */
export const generateCredential = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64url')}`;

/**
 * The pepper of {@link hashCredential}, for an installation's secret key.
 * @param purpose tells kinds of credentials apart: the hash of one is nothing among those of another
 */
export const pepperFor = (secretKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));

/**
 * What is stored of a credential, hexadecimal. A slow password hash is not needed, because credentials are random; the
 * pepper makes a copied table useless even for a weak one that was given by configuration.
 */
export const hashCredential = (credential: string, pepper: Buffer): string =>
  createHmac('sha256', pepper).update(credential).digest('hex');

/** Compares two hashes in constant time. */
export const sameHash = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b));
