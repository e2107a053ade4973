/**
 * The secrets of integrations: one sealed JSON object each, which only the row it was sealed for can open. Whatever
 * reads it hands the values to a vendor's client and to nothing else.
 */
import { z } from 'zod';
import { SecretError, type SecretBox } from '../../platform/secrets.ts';
import type { Integration } from './entities.ts';

/** By the names of the family's schema; `expiresAt` in unix ms, of an access token. */
export type Secrets = Readonly<Record<string, string | number>>;

const secrets = z.record(z.string(), z.union([z.string(), z.number()]));

type Owner = Pick<Integration, 'id' | 'teamId'>;

export interface Vault {
  seal(owner: Owner, values: Secrets): string;
  /** @throws {SecretError} when it belongs to another team or integration, or its key is not configured */
  open(row: Owner & Pick<Integration, 'sealed'>): Secrets;
  sealText(owner: Owner, text: string): string;
  openText(owner: Owner, sealed: string): string;
}

export const contextOf = ({ id, teamId }: Owner): string => `integration ${id} of ${teamId}`;

export function createVault(box: SecretBox): Vault {
  const sealText = (owner: Owner, text: string): string => box.seal(text, contextOf(owner));
  const openText = (owner: Owner, sealed: string): string => box.open(sealed, contextOf(owner));
  return {
    sealText,
    openText,
    seal: (owner, values) => sealText(owner, JSON.stringify(values)),
    open(row) {
      const parsed = secrets.safeParse(JSON.parse(openText(row, row.sealed)));
      // Not the parser's own message, which quotes the secret input.
      if (!parsed.success) throw new SecretError('The sealed value does not hold the secrets of an integration.');
      return parsed.data;
    },
  };
}

/** A secret as people may see it: its last four characters, if that gives little away. */
export const hint = (secret: unknown): string | null =>
  typeof secret === 'string' && secret.length >= 12 ? `…${secret.slice(-4)}` : null;
