/** Responses of the chat endpoints. */
import { z } from 'zod';

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
