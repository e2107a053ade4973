/**
 * Comes before the AI SDK, whose schemas would otherwise try whether code can be made at run time. The content security
 * policy does not let them, and reports it.
 */
import { config } from 'zod/v4/core';

config({ jitless: true });
