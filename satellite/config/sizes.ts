/** Byte sizes as people write them. */
import { z } from 'zod';

const UNITS: Record<string, number> = {
  B: 1,
  kB: 1_000,
  KB: 1_000,
  MB: 1_000_000,
  KiB: 1_024,
  MiB: 1_048_576,
};

/** A number of bytes, or a text such as `8MiB`. @param max maximum number of bytes */
export function byteSize(max: number): z.ZodType<number> {
  const bytes = z.number().int().min(1_024).max(max);
  return z
    .union([z.number(), z.string()])
    .transform((size, context) => {
      const [, amount, unit = 'B'] = /^(\d+(?:\.\d+)?) *(B|[kK]B|MB|KiB|MiB)?$/.exec(String(size)) ?? [];
      if (amount !== undefined) return Math.floor(Number(amount) * UNITS[unit]!);
      context.addIssue({ code: 'custom', message: 'must be a number of bytes, or a size such as 512KiB or 8MiB' });
      return z.NEVER;
    })
    .pipe(bytes);
}
