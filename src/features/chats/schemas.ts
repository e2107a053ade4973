/** Requests of the chat endpoints. */
import { z } from 'zod';
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
  .refine((given) => given.length === 0 || given.at(-1)?.role === 'user', 'The last message must be of the user')
  .describe(
    'What is said; the last message is the question. With chat_id only what is new, or everything so far with the new messages at its end.',
  );
const model = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:@/-]+$/, 'Value must be the name of a model')
  .optional()
  .describe('Model identifier. Without a model provider the offline model answers, whatever is named.');
const chatId = z.string().max(100).optional().describe('Id of an existing chat to continue.');
const stream = z.boolean().optional().describe('Answer with server-sent events; also as a query parameter.');

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
        'In place of who Casebook is and how it answers, for this turn. The rules about evidence and tool output stay.',
      ),
    allow_side_effects: z
      .boolean()
      .optional()
      .describe('Whether turns of this chat may use tools that change something outside. Needs the scope chats:act.'),
    investigation_id: z.guid().optional().describe('For a new chat: the investigation it is about.'),
  })
  .refine(({ chat_id: id, investigation_id: about }) => id === undefined || about === undefined, {
    path: ['investigation_id'],
    message: 'Only a new chat can be given an investigation',
  })
  .meta({ id: 'ChatRequest' });

export const ChatVizRequest = z
  .object({
    prompt: z
      .string()
      .max(20_000)
      .regex(notBlank, 'Value must not be blank')
      .optional()
      .describe('What the chart is to show.'),
    chat_id: chatId,
    tool_id: z.guid().optional().describe('The tool result to draw, of a chat or an investigation.'),
    model,
    format: z.enum(['json', 'svg']).optional().describe('svg answers with the picture.'),
    stream,
  })
  .refine(({ prompt, tool_id }) => prompt !== undefined || tool_id !== undefined, 'prompt or tool_id is needed')
  .meta({ id: 'ChatVizRequest' });

export const ChatEditorRequest = z
  .object({
    messages,
    chat_id: chatId,
    model,
    mode: z
      .enum(['apply', 'propose'])
      .default('apply')
      .describe('apply commits the changes; propose answers with their diff and changes nothing.'),
    stream,
  })
  .meta({ id: 'ChatEditorRequest' });

export const StreamQuery = z.object({
  stream: z
    .boolean()
    .default(false)
    .describe('Answer with server-sent events in the UI message stream form of the AI SDK.'),
  include: z
    .literal('tools')
    .optional()
    .describe('tools: tool calls, their results, the plan and citations travel in the stream as well.'),
});
export const VizQuery = StreamQuery.extend({ format: z.enum(['json', 'svg']).optional() });
export const ChartQuery = VizQuery.pick({ format: true }).extend({
  ground: z.enum(GROUNDS).default('light').describe('What the picture lies on.'),
});

export const TurnHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .regex(/^[\x21-\x7e]+$/, 'String should consist of visible ASCII characters')
    .optional()
    .describe('A repeated request with the same key gets the turn of the first one.'),
});

export const ChatParams = z.object({ chat_id: z.guid().meta({ format: 'uuid' }) });
export const ChartParams = z.object({ tool_id: z.guid().meta({ format: 'uuid' }) });

const page = z.int().min(1).max(100_000).default(1).describe('1-based.');
export const CHATS_PER_PAGE = 20;
const perPage = z.int().min(1).max(100);

export const ChatListQuery = z.object({
  page,
  // The default is applied later: an explicit value wins over the alias.
  count: perPage.optional().meta({ default: CHATS_PER_PAGE }).describe('Items per page.'),
  limit: perPage.optional().meta({ deprecated: true }).describe('Deprecated alias for count; count wins.'),
  my_chats: z.boolean().default(false).describe('Only chats that the current user began.'),
});

export const ChatSearchQuery = z.object({
  q: z
    .string()
    .max(500)
    .regex(notBlank, 'Value must not be blank')
    .describe('Words, found by their beginning; "quoted" together; -excluded.'),
  page,
  count: perPage.default(CHATS_PER_PAGE).describe('Items per page.'),
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
  turns: z.int().min(1).max(500).default(200).describe('Most turns to return, the newest ones.'),
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
    api_calls_count: z.int().describe('Calls of the model.'),
  })
  .meta({ id: 'ChatUsage' });

export const ChatResponse = z
  .object({
    chat_id: z.uuid().describe('Continues the conversation.'),
    response: z.string().describe('The answer: all of its text parts, as they were streamed.'),
    usage: Usage,
  })
  .meta({ id: 'ChatResponse' });

const Chart = z.looseObject({ $schema: z.string() }).describe('A Vega-Lite specification with its data inlined.');

export const ChatVizResponse = z
  .object({
    ...ChatResponse.shape,
    chart: Chart.nullable().describe('null when none could be drawn; response says why.'),
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
      .describe('conflict: somebody changed the same paths meanwhile, and nothing was written.'),
    commit: z.string().nullable(),
    paths: z.array(ChangedPath),
    diff: z.string(),
    truncated: z.boolean().describe('The diff was cut.'),
    conflicts: z.array(z.string()),
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
    updated_at: time.describe('When its last turn began.'),
    created_by_user_id: z.uuid().nullable(),
    investigation_id: z.uuid().nullable(),
    monitoring: z.boolean().describe('It belongs to a monitoring agent, which has the same id.'),
    running: z.boolean().describe('A turn is under way.'),
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
    tool_call_id: z.uuid().nullable().describe('null: the chat has no such evidence.'),
    tool: z.string().nullable(),
    sha256: z.string().nullable(),
    excerpts: z.array(z.string()).describe('Verbatim pieces of the tool result that support the claim.'),
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
    has_series: z.boolean().describe('Its result can be drawn: see `/api/tool-results/{tool_id}/series`.'),
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
    text: z.string().describe('All text parts together, as they were streamed.'),
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
          turn: TurnDetail.nullable().describe(
            'Of an answer; null for what was said by or brought along by the caller.',
          ),
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
      .describe('The turn that is under way.'),
  })
  .meta({ id: 'ChatDetailResponse' });
