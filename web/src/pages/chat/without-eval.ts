/**
 * Must load before the AI SDK, whose schema library otherwise probes whether code can be generated at run time. The
 * content security policy forbids that and reports it.
 */
import { config } from 'zod/v4/core';

config({ jitless: true });
