/**
 * What HTTP can carry in a header; nothing in it starts another one. Checked when the configuration is read: clients
 * that are given something else repeat it in their errors, and those leave the network.
 */
import { z } from 'zod';

const VALUE = /^[\t\u{20}-\u{7e}\u{80}-\u{ff}]*$/u;

export const headers = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, 'is no name of a header'),
  z.string().regex(VALUE, 'cannot be the value of a header'),
);

/** A token, a key: space around it, as the newline that ends a file, is no part of it. */
export const headerSecret = z.string().trim().min(1).regex(VALUE, 'has a character that no header can have');
