import { z } from 'zod';
import { apiKey } from '../../http/authenticate.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import { safeCut } from '../tools/index.ts';
import { readableToolCall, type ReadScopes } from './service.ts';

const MAX_CHARACTERS = 1_000_000;

const ToolResultResponse = z
  .object({
    id: z.uuid(),
    conversation_id: z.uuid(),
    evidence: z.int(),
    tool: z.string(),
    input: z.unknown(),
    status: z.enum(['pending', 'completed', 'cancelled']),
    is_error: z.boolean(),
    sha256: z.string().nullable().describe('Of the whole content in UTF-8.'),
    bytes: z.int().nullable(),
    characters: z.int().describe('Length of the whole content, in UTF-16 code units.'),
    offset: z.int(),
    content: z.string().nullable().describe('The content from offset on; null while the call is pending.'),
    next_offset: z.int().nullable().describe('Where to read on; null at the end.'),
  })
  .meta({ id: 'ToolResultResponse' });

export const getToolResult = endpointFor<ApiDeps & { readScopes: ReadScopes }>()({
  method: 'get',
  path: '/api/tool-results/{tool_id}',
  operationId: 'getToolResult',
  summary: 'Get the stored result of a tool call, which citations point to',
  tags: ['Transcripts'],
  description:
    'Scopes: `chats:read` for results of chats, `investigations:read` for those of investigations, `monitoring:read` for those of checks.',
  auth: apiKey(),
  params: z.object({ tool_id: z.guid() }),
  query: z.object({
    offset: z.int().min(0).max(100_000_000).default(0).describe('In UTF-16 code units, as the offsets of excerpts.'),
    limit: z.int().min(1).max(MAX_CHARACTERS).default(MAX_CHARACTERS).describe('Maximum characters to return.'),
  }),
  response: ToolResultResponse,
  errors: [403, 404],
  handler: async ({ deps, params, query, principal, em }) => {
    const call = await readableToolCall(deps, em, principal, params.tool_id);
    const whole = call.content ?? '';
    const end = endOfPage(whole, query);
    return {
      id: call.id,
      conversation_id: call.conversationId,
      evidence: call.evidence,
      tool: call.name,
      input: call.input,
      status: call.status,
      is_error: call.isError,
      sha256: call.sha256,
      bytes: call.bytes,
      characters: whole.length,
      offset: query.offset,
      content: call.status === 'pending' ? null : whole.slice(query.offset, end),
      next_offset: end < whole.length ? end : null,
    };
  },
});

/** Do not split a surrogate pair, unless there is room for nothing else. */
function endOfPage(whole: string, { offset, limit }: { offset: number; limit: number }): number {
  const end = Math.min(offset + limit, whole.length);
  const cut = safeCut(whole, end);
  return cut > offset ? cut : end;
}
