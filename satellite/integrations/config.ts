import { isIP } from 'node:net';
import { z } from 'zod';

/** What Casebook may configure: systems that are named by host and user, and nothing that is read from files. */
const KINDS = ['postgresql', 'clickhouse'] as const;

/** A host name, an address, or a network such as 10.0.0.0/8. */
const place = z
  .string()
  .toLowerCase()
  .refine((text) => {
    const [address = '', bits, ...rest] = text.split('/');
    if (rest.length > 0) return false;
    if (bits !== undefined)
      return isIP(address) !== 0 && /^\d{1,3}$/u.test(bits) && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
    return isIP(text) !== 0 || /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/u.test(text);
  }, 'must be a host name, an address, or a network such as 10.0.0.0/8');

export const integrationsConfig = z.strictObject({
  /** Whether the team may connect systems through this satellite, with credentials that it keeps at Casebook. */
  enabled: z.boolean().default(true),
  kinds: z.array(z.enum(KINDS)).default([...KINDS]),
  /** The only hosts it may connect to; by default every one but link-local addresses, where clouds keep credentials. */
  allow: z.array(place).max(1_000).optional(),
});
export type IntegrationsConfig = z.output<typeof integrationsConfig>;
