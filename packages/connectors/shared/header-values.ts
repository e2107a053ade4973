/**
 * Values that are safe in an HTTP header: nothing in them starts another one. Checked when the configuration is read,
 * because clients repeat an invalid value in their errors, which leave the network.
 */
import { z } from 'zod';

const VALUE = /^[\t\u{20}-\u{7e}\u{80}-\u{ff}]*$/u;

export const headers = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, 'is not a valid header name'),
  z.string().regex(VALUE, 'is not a valid header value'),
);

/** A token or key: surrounding space, such as the newline at the end of a file, is not part of it. */
export const headerSecret = z
  .string()
  .trim()
  .min(1)
  .regex(VALUE, 'contains a character that is not allowed in a header');
