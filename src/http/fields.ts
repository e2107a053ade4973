/** Fields that rooms have in common, worded once. */
import { z } from 'zod';

/** No control characters: names are read in terminals and logs. Not `\p{Cc}`, which not every reader of the document knows. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const PRINTABLE = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** What somebody calls a thing. */
export const nameField = z.string().trim().min(1).max(100).regex(PRINTABLE, 'String should have no control characters');
