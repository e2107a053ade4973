import { generateCredential, pepperFor } from '../../platform/secrets/index.ts';

/** How many characters of a key are kept to recognise it by, and never more than a quarter of it. */
const PREFIX_LENGTH = 8;

export const generateApiKey = (): string => generateCredential('cb_');

/** The beginning of a key, which may be shown. */
export const prefixOf = (apiKey: string): string =>
  apiKey.slice(0, Math.min(PREFIX_LENGTH, Math.floor(apiKey.length / 4)));

/** The pepper of the stored hashes of API keys, for an installation's secret key. */
export const pepperFrom = (secretKey: Buffer): Buffer => pepperFor(secretKey, 'casebook api keys');
