import { z } from 'zod';
import { limitField, sourceField } from './inputs.ts';
import type { ListServicesResult } from './results.ts';
import { defineSourceTool } from './source-tool.ts';
import { count } from './text.ts';

/** `list_services`: the services a source knows. */
export const listServices = defineSourceTool({
  name: 'list_services',
  description: 'Lists the services a source knows, with the number of metrics of each.',
  input: z.strictObject({ source: sourceField, limit: limitField(200, 1_000, 'services') }),
  needs: { capability: 'services', method: 'services' },
  summarize: ({ source }) => `List the services of ${source}`,
  async answer({ source: id, limit }, source, { signal }) {
    const services = await source.services({ signal });
    const result: ListServicesResult = {
      source: id,
      services: services.slice(0, limit),
      total: services.length,
      truncated: services.length > limit,
    };
    return { result, digest: count(services.length, 'service') };
  },
});
