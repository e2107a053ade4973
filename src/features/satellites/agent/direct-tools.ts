import { z } from 'zod';
import { defineTool, type Tool } from '../../tools/index.ts';
import type { SatelliteCalls } from '../calls/port.ts';
import { ask, TOOL_TIMEOUT_SECONDS } from './ask.ts';
import type { Offer } from './offer.ts';
import { offeredSchema } from './schema.ts';

/** Scopes for querying a satellite, and for letting it act. */
export const READING = { requires: 'satellites:query' } as const;
export const ACTING = { requires: 'satellites:act', sideEffect: true } as const;

/** One tool per offer. */
export function directTools(calls: SatelliteCalls, offers: readonly Offer[]): Tool[] {
  return offers.map((offer) =>
    defineTool({
      name: offer.name,
      description: offer.description,
      // The satellite validates the input: it knows the whole schema.
      input: z.looseObject({}),
      inputSchema: offeredSchema(offer.inputSchema),
      ...(offer.readOnly ? READING : ACTING),
      timeoutSeconds: TOOL_TIMEOUT_SECONDS,
      summarize: (input) => `${offer.satellite} ${offer.what} ${JSON.stringify(input)}`,
      run: (input, context) => ask(calls, offer, input, context),
    }),
  );
}
