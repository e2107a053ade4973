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
