/** Requests of the chat endpoints. */
import { z } from 'zod';
import { idempotencyKeyField } from '../../http/fields.ts';
import { GROUNDS } from '../charts/index.ts';

const notBlank = /\S/;

const ChatMessage = z
  .object({
    role: z.enum(['user', 'assistant']),
    content: z.string().max(400_000).regex(notBlank, 'Value must not be blank').describe('Message text.'),
  })
  .meta({ id: 'ChatMessage' });

const messages = z
  .array(ChatMessage)
  .min(1)
  .max(1_000)
  .refine((given) => given.length === 0 || given.at(-1)?.role === 'user', 'The last message must be from the user')
  .describe(
    'The messages; the last one is the question. With chat_id, send only the new ones, or the whole history with the new ones at the end.',
  );
const model = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:@/-]+$/, 'Value must be the name of a model')
  .optional()
  .describe('Model identifier. Without a model provider the offline model answers, whatever the name.');
const chatId = z.string().max(100).optional().describe('Id of an existing chat to continue.');
const stream = z
  .boolean()
  .optional()
  .describe('Stream the answer as server-sent events; also available as a query parameter.');

export const ChatRequest = z
  .object({
    messages,
    chat_id: chatId,
    model,
    system_prompt: z
      .string()
      .max(100_000)
      .optional()
      .describe(
        'Replaces the description of who Casebook is and how it answers, for this turn. The rules about evidence and tool output remain.',
      ),
    allow_side_effects: z
      .boolean()
      .optional()
      .describe(
        'Whether turns of this chat may use tools with side effects without asking. Requires the scope chats:act. If not, calls of tools that can ask wait for approval.',
      ),
    investigation_id: z.guid().optional().describe('For a new chat: the investigation it is about.'),
  })
  .refine(({ chat_id: id, investigation_id: about }) => id === undefined || about === undefined, {
    path: ['investigation_id'],
    message: 'Only a new chat accepts an investigation',
  })
  .meta({ id: 'ChatRequest' });

export const ChatVizRequest = z
  .object({
    prompt: z
      .string()
      .max(20_000)
      .regex(notBlank, 'Value must not be blank')
      .optional()
      .describe('What the chart should show.'),
    chat_id: chatId,
    tool_id: z.guid().optional().describe('The tool result to chart, from a chat or an investigation.'),
    model,
    format: z.enum(['json', 'svg']).optional().describe('svg returns the image.'),
    stream,
  })
  .refine(
    ({ prompt, tool_id }) => prompt !== undefined || tool_id !== undefined,
    'Either prompt or tool_id is required',
  )
  .meta({ id: 'ChatVizRequest' });

export const ChatEditorRequest = z
  .object({
    messages,
    chat_id: chatId,
    model,
    mode: z
      .enum(['apply', 'propose'])
      .default('apply')
      .describe('apply commits the changes; propose returns their diff and changes nothing.'),
    stream,
  })
  .meta({ id: 'ChatEditorRequest' });

export const StreamQuery = z.object({
  stream: z
    .boolean()
    .default(false)
    .describe("Stream the answer as server-sent events, in the AI SDK's UI message stream format."),
  include: z
    .literal('tools')
    .optional()
    .describe('tools: the stream also contains tool calls, their results, the plan and citations.'),
});
export const VizQuery = StreamQuery.extend({ format: z.enum(['json', 'svg']).optional() });
export const ChartQuery = VizQuery.pick({ format: true }).extend({
  ground: z.enum(GROUNDS).default('light').describe('Background of the image.'),
});

export const TurnHeaders = z.object({
  'idempotency-key': idempotencyKeyField("A repeated request with the same key returns the first request's turn."),
});

export const ChatParams = z.object({ chat_id: z.guid().meta({ format: 'uuid' }) });
export const ChartParams = z.object({ tool_id: z.guid().meta({ format: 'uuid' }) });

const page = z.int().min(1).max(100_000).default(1).describe('1-based.');
export const CHATS_PER_PAGE = 20;
const perPage = z.int().min(1).max(100);

const from = z.iso.datetime().optional().describe('Only chats with a turn at or after it.');

export const ChatListQuery = z.object({
  page,
  // The default is applied later: an explicit value wins over the alias.
  count: perPage.optional().meta({ default: CHATS_PER_PAGE }).describe('Items per page.'),
  limit: perPage.optional().meta({ deprecated: true }).describe('Deprecated alias for count, which takes precedence.'),
  my_chats: z.boolean().default(false).describe('Only chats started by the current user.'),
  from,
});

export const ChatSearchQuery = z.object({
  q: z
    .string()
    .max(500)
    .regex(notBlank, 'Value must not be blank')
    .describe('Words, matched by prefix; "quoted" for phrases; -word excludes.'),
  page,
  count: perPage.default(CHATS_PER_PAGE).describe('Items per page.'),
  from,
});

export const ChatTitleUpdateRequest = z
  .object({
    title: z
      .string()
      .trim()
      .min(1)
      .max(200)
      // oxlint-disable-next-line no-control-regex -- they are what it is about
      .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, 'Value must be one line'),
  })
  .meta({ id: 'ChatTitleUpdateRequest' });

export const ChatDetailQuery = z.object({
  before: z.int().min(1).optional().describe('Only turns with a smaller number.'),
  turns: z.int().min(1).max(500).default(200).describe('Maximum number of turns, the newest ones.'),
});

const status = z.enum(['processing', 'completed', 'failed', 'cancelled']);
const time = z.iso.datetime();

const Usage = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    cost: z.number().describe('US dollars.'),
    model: z.string().nullable().describe('The model that answered.'),
    api_calls_count: z.int().describe('Number of model calls.'),
  })
  .meta({ id: 'ChatUsage' });

export const ChatResponse = z
  .object({
    chat_id: z.uuid().describe('Continues the conversation.'),
    response: z.string().describe('The answer: all of its text parts, as streamed.'),
    usage: Usage,
  })
  .meta({ id: 'ChatResponse' });

const Chart = z.looseObject({ $schema: z.string() }).describe('A Vega-Lite specification with its data inlined.');

export const ChatVizResponse = z
  .object({
    ...ChatResponse.shape,
    chart: Chart.nullable().describe('null if none could be drawn; response says why.'),
    tool_id: z.uuid().nullable().describe('The tool result that holds the chart.'),
    svg_url: z.string().nullable(),
  })
  .meta({ id: 'ChatVizResponse' });

const ChangedPath = z.object({
  path: z.string(),
  change: z.enum(['added', 'modified', 'deleted']),
  additions: z.int(),
  deletions: z.int(),
});

const Changes = z
  .object({
    status: z
      .enum(['committed', 'proposed', 'conflict', 'unchanged', 'discarded'])
      .describe('conflict: somebody else changed the same paths, so nothing was written.'),
    commit: z.string().nullable(),
    paths: z.array(ChangedPath),
    diff: z.string(),
    truncated: z.boolean().describe('Whether the diff was truncated.'),
    conflicts: z.array(z.string()),
    proposal: z
      .uuid()
      .optional()
      .describe('Under which proposed changes can be applied: `/api/workspace/proposals/{proposal_id}`.'),
  })
  .meta({ id: 'ChatChanges' });

export const ChatEditorResponse = z
  .object({ ...ChatResponse.shape, ...Changes.shape })
  .meta({ id: 'ChatEditorResponse' });

const ChatSummary = z
  .object({
    id: z.uuid(),
    title: z.string(),
    created_at: time,
    updated_at: time.describe('When its last turn started.'),
    created_by_user_id: z.uuid().nullable(),
    investigation_id: z.uuid().nullable(),
    monitoring: z.boolean().describe('Whether it belongs to a monitoring agent, which has the same id.'),
    running: z.boolean().describe('Whether a turn is running.'),
  })
  .meta({ id: 'ChatSummary' });

export const ChatListResponse = z
  .object({
    chats: z.array(ChatSummary),
    page: z.int(),
    count: z.int(),
    total: z.int().describe('Counted up to 1,000.'),
    total_is_exact: z.boolean(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ChatListResponse' });

export const ChatSearchResponse = z
  .object({
    chats: z.array(ChatSummary.extend({ snippet: z.string() }).meta({ id: 'ChatSearchHit' })),
    page: z.int(),
    count: z.int(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ChatSearchResponse' });

export const ChatSummaryResponse = ChatSummary;

export const ChatStateResponse = z.object({ chat_id: z.uuid(), status }).meta({ id: 'ChatStateResponse' });

const TextPart = z.object({ type: z.enum(['text', 'reasoning']), text: z.string(), state: z.literal('done') });
const ToolPart = z.object({
  type: z.templateLiteral(['tool-', z.string()]),
  toolCallId: z.uuid(),
  state: z.enum(['input-available', 'output-available', 'output-error']),
  title: z.string(),
  input: z.unknown(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
});
const DataPart = z.object({ type: z.templateLiteral(['data-', z.string()]), id: z.string(), data: z.unknown() });

const Citation = z
  .object({
    n: z.int().describe('The number in brackets in the text.'),
    tool_call_id: z.uuid().nullable().describe('null if the chat has no such evidence.'),
    tool: z.string().nullable(),
    sha256: z.string().nullable(),
    excerpts: z.array(z.string()).describe('Verbatim excerpts of the tool result that support the claim.'),
    result_url: z.string().nullable(),
  })
  .meta({ id: 'ChatCitation' });

const ChatToolCall = z
  .object({
    id: z.uuid(),
    evidence: z.int(),
    name: z.string(),
    summary: z.string(),
    status: z.enum(['pending', 'completed', 'cancelled']),
    is_error: z.boolean(),
    digest: z.string().nullable(),
    bytes: z.int().nullable(),
    sha256: z.string().nullable(),
    has_series: z.boolean().describe('Whether its result can be charted: see `/api/tool-results/{tool_id}/series`.'),
    result_url: z.string(),
  })
  .meta({ id: 'ChatToolCall' });

const TurnDetail = z
  .object({
    id: z.uuid(),
    number: z.int(),
    purpose: z.enum(['answer', 'chart', 'edit', 'monitor']),
    status,
    limit_reached: z.string().nullable(),
    explanation: z.string().nullable().describe('Why it failed or was cancelled.'),
    text: z.string().describe('All text parts concatenated, as streamed.'),
    citations: z.array(Citation),
    tool_calls: z.array(ChatToolCall),
    changes: Changes.nullable(),
    usage: Usage,
    started_at: time,
    finished_at: time.nullable(),
    workflow_id: z.string(),
  })
  .meta({ id: 'ChatTurnDetail' });

export const ChatDetailResponse = z
  .object({
    ...ChatSummary.shape,
    side_effects_allowed: z.boolean(),
    messages: z.array(
      z
        .object({
          id: z.uuid(),
          role: z.enum(['user', 'assistant']),
          parts: z.array(z.union([TextPart, ToolPart, DataPart])),
          created_at: time,
          turn: TurnDetail.nullable().describe('The turn of an answer; null for messages from the caller.'),
        })
        .meta({ id: 'ChatUiMessage' }),
    ),
    has_earlier: z.boolean(),
    run: z
      .object({
        turn_id: z.uuid(),
        stream_url: z.string(),
        phase: z.string().nullable(),
        step: z.int().nullable(),
        tool_calls: z.int().nullable(),
        cost: z.number().nullable(),
      })
      .nullable()
      .describe('The running turn.'),
  })
  .meta({ id: 'ChatDetailResponse' });
