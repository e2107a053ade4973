import { createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** How many characters of a key are kept to recognise it by, and never more than a quarter of it. */
const PREFIX_LENGTH = 8;

/** A new API key: `cb_` and 32 random bytes. */
export const generateApiKey = (): string => `cb_${randomBytes(32).toString('base64url')}`;

/** The beginning of a key, which may be shown. */
export const prefixOf = (apiKey: string): string =>
  apiKey.slice(0, Math.min(PREFIX_LENGTH, Math.floor(apiKey.length / 4)));

/** The pepper of {@link hashApiKey}, for an installation's secret key. */
export const pepperFrom = (secretKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'casebook api keys', 32));

/**
 * What is stored of a key. A slow password hash is not needed, because keys are random; the pepper makes a copied
 * table useless even for a weak key that was given by configuration.
 * @param pepper see {@link pepperFrom}
 */
export const hashApiKey = (apiKey: string, pepper: Buffer): string =>
  createHmac('sha256', pepper).update(apiKey).digest('hex');
