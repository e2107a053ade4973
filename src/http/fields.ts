/** Fields that rooms have in common, worded once. */
import { z } from 'zod';

/** No control characters: names are read in terminals and logs. Not `\p{Cc}`, which not every reader of the document knows. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const PRINTABLE = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** What somebody calls a thing. */
export const nameField = z.string().trim().min(1).max(100).regex(PRINTABLE, 'String should have no control characters');

/** The members of a query by which a list is paged. */
export const pageFields = {
  page: z.int().min(1).max(100_000).default(1).describe('1-based.'),
  count: z.int().min(1).max(100).default(20).describe('Items per page.'),
};
