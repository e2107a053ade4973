/** Fields that rooms share. */
import { z } from 'zod';

/**
 * No control characters: names appear in terminals and logs. Not `\p{Cc}`, which some consumers of the OpenAPI document
 * do not support.
 */
// oxlint-disable-next-line no-control-regex -- the pattern is about control characters
const PRINTABLE = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** A user-chosen name. */
export const nameField = z.string().trim().min(1).max(100).regex(PRINTABLE, 'String should have no control characters');

/** Query parameters of a paged list. */
export const pageFields = {
  page: z.int().min(1).max(100_000).default(1).describe('1-based.'),
  count: z.int().min(1).max(100).default(20).describe('Items per page.'),
};

/** The value of an `Idempotency-Key` header. @param effect what a repeated request gets */
export const idempotencyKeyField = (effect: string) =>
  z
    .string()
    .min(1)
    .max(255)
    .regex(/^[\x21-\x7e]+$/, 'String should consist of visible ASCII characters')
    .optional()
    .describe(effect);
