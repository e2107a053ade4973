import { z } from 'zod';
import { defineTool } from '../../src/features/tools/tool.ts';

/** A tool whose result has the size that is asked for. */
export const payloadTool = defineTool({
  name: 'bench_payload',
  description: 'Returns so many bytes of text.',
  input: z.strictObject({ bytes: z.number().int().positive(), call: z.number().int() }),
  summarize: () => 'Payload',
  run: async ({ bytes }) => ({
    content: '0123456789abcdef'.repeat(Math.ceil(bytes / 16)).slice(0, bytes),
    digest: 'Payload',
  }),
});
