/** Slack as its clients know it: the methods that Casebook calls, incoming webhooks, Slack's own limits and errors. */
import type { ServerResponse } from 'node:http';
import { startHttpReceiver, type ReceivedRequest } from './http-receiver.ts';

export interface SlackMessageRow {
  channel: string;
  ts: string;
  thread_ts?: string;
  reply_broadcast?: boolean;
  text: string;
  blocks: SlackBlock[];
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  /** All arguments of the call, as they came. */
  args: Record<string, unknown>;
}

export interface SlackText {
  type: string;
  text: string;
  verbatim?: boolean;
}
export interface SlackBlock {
  type: string;
  text?: SlackText;
  elements?: { type: string; verbatim?: boolean; url?: string; value?: string; text: string | SlackText }[];
}

type Answer = (response: ServerResponse) => void;
/** `lost`: the call is carried out, and its answer never arrives. */
export type SlackPlan = Answer | 'lost' | { error: string };

export interface SlackServer {
  apiUrl: string;
  hooksUrl: string;
  /** A URL that works. */
  webhookUrl: string;
  botToken: string;
  /** Newest last. */
  messages: SlackMessageRow[];
  requests: ReceivedRequest[];
  calls(method: string): number;
  /** What becomes of the next calls of a method (`hook` for the webhook). */
  next(method: string, ...plans: SlackPlan[]): void;
  /** Addresses by user. */
  people: Map<string, string>;
  /** Scopes of the token. */
  scopes: Set<string>;
  stop(): Promise<void>;
}

const CHANNELS = [
  { id: 'C0000000OPS', name: 'ops' },
  { id: 'C0000000DEV', name: 'dev' },
];
const NEEDS: Record<string, string> = {
  'chat.postMessage': 'chat:write',
  'conversations.history': 'channels:history',
  'conversations.replies': 'channels:history',
  'conversations.list': 'channels:read',
  'users.info': 'users:read.email',
};

export async function startSlackServer(): Promise<SlackServer> {
  const botToken = 'xoxb-000000000000-secret-of-the-bot';
  const hookPath = '/services/T00000000/B00000000/secretOfTheWebhook';
  const messages: SlackMessageRow[] = [];
  const planned = new Map<string, SlackPlan[]>();
  const scopes = new Set(Object.values(NEEDS));
  const people = new Map<string, string>();
  let clock = 0;

  const keep = (channel: string, args: Record<string, unknown>): SlackMessageRow => {
    clock += 1;
    const row: SlackMessageRow = {
      channel,
      ts: `${Math.floor(Date.now() / 1_000)}.${String(clock).padStart(6, '0')}`,
      text: textIn(args),
      blocks: (args['blocks'] ?? []) as SlackBlock[],
      ...pick(args, ['thread_ts', 'reply_broadcast', 'metadata']),
      args,
    };
    messages.push(row);
    return row;
  };

  const methods: Record<string, (args: Record<string, unknown>) => object> = {
    'chat.postMessage'(args) {
      const channel = CHANNELS.find(({ id, name }) => [id, name, `#${name}`].includes(String(args['channel'])));
      if (!channel) return failed('channel_not_found');
      const problem = blocksProblem(args);
      if (problem) return { ...failed('invalid_blocks'), response_metadata: { messages: [`[ERROR] ${problem}`] } };
      const root = args['thread_ts'];
      if (root !== undefined && !messages.some(({ ts }) => ts === root)) return failed('thread_not_found');
      const { ts, text: said } = keep(channel.id, args);
      return { ok: true, channel: channel.id, ts, message: { ts, text: said } };
    },
    'conversations.history': (args) =>
      page(args, messages.filter(({ thread_ts: thread }) => thread === undefined).toReversed()),
    'conversations.replies': (args) =>
      page(
        args,
        messages.filter((row) => row.ts === args['ts'] || row.thread_ts === args['ts']),
      ),
    'users.info': ({ user }) =>
      people.has(String(user))
        ? { ok: true, user: { id: user, profile: { email: people.get(String(user)) } } }
        : failed('user_not_found'),
    'conversations.list': () => ({ ok: true, channels: CHANNELS, response_metadata: { next_cursor: '' } }),
  };

  function page(args: Record<string, unknown>, rows: SlackMessageRow[]): object {
    if (!CHANNELS.some(({ id }) => id === args['channel'])) return failed('channel_not_found');
    const found = rows
      .filter(({ channel, ts }) => channel === args['channel'] && Number(ts) >= Number(args['oldest'] ?? 0))
      .map(({ ts, text, metadata }) => ({ ts, text, ...(args['include_all_metadata'] === true ? { metadata } : {}) }));
    const start = Number(args['cursor'] ?? 0);
    const end = start + Number(args['limit'] ?? 100);
    const more = end < found.length;
    return {
      ok: true,
      messages: found.slice(start, end),
      has_more: more,
      response_metadata: { next_cursor: more ? String(end) : '' },
    };
  }

  const hook = (body: string): Answer => {
    const args = argumentsOf('application/json', body);
    if (!args || (args['text'] === undefined && args['blocks'] === undefined)) return text(400, 'invalid_payload');
    if (blocksProblem(args)) return text(400, 'invalid_blocks');
    keep('webhook', args);
    return text(200, 'ok');
  };

  const call = (method: string, { headers, body }: ReceivedRequest): Answer => {
    const args = argumentsOf(headers['content-type'] ?? '', body);
    const act = methods[method];
    const token = (headers['authorization'] ?? '').replace(/^Bearer /, '') || args?.['token'];
    const needed = NEEDS[method] ?? '';
    if (!act || !args) return json(failed(act ? 'invalid_arguments' : 'unknown_method'));
    if (token !== botToken) return json(failed('invalid_auth'));
    if (!scopes.has(needed)) return json({ ...failed('missing_scope'), needed, provided: [...scopes].join(',') });
    return json(act(args));
  };

  const receiver = await startHttpReceiver((request, response) => {
    if (request.path.startsWith('/services/') && request.path !== hookPath) return text(404, 'no_service')(response);
    const method = request.path === hookPath ? 'hook' : request.path.replace('/api/', '');
    const plan = planned.get(method)?.shift();
    if (typeof plan === 'function') return plan(response);
    if (typeof plan === 'object') return json(failed(plan.error))(response);
    const answer = method === 'hook' ? hook(request.body) : call(method, request);
    if (plan === 'lost') response.destroy();
    else answer(response);
  });

  return {
    apiUrl: `${receiver.url}/api/`,
    hooksUrl: `${receiver.url}/`,
    webhookUrl: `${receiver.url}${hookPath}`,
    botToken,
    messages,
    requests: receiver.requests,
    calls: (method) => receiver.requests.filter(({ path }) => path === `/api/${method}`).length,
    next: (method, ...plans) => void planned.set(method, [...(planned.get(method) ?? []), ...plans]),
    scopes,
    people,
    stop: receiver.stop,
  };
}

/** Slack takes forms, whose structured fields are JSON, and JSON. */
function argumentsOf(contentType: string, body: string): Record<string, unknown> | undefined {
  try {
    if (contentType.startsWith('application/json')) return JSON.parse(body);
    const structured = new Set(['blocks', 'metadata', 'attachments']);
    const flags = new Set(['include_all_metadata', 'reply_broadcast', 'unfurl_links', 'unfurl_media', 'link_names']);
    return Object.fromEntries(
      [...new URLSearchParams(body)].map(([name, value]) => {
        if (structured.has(name)) return [name, JSON.parse(value)];
        return [name, flags.has(name) ? value === 'true' || value === '1' : value];
      }),
    );
  } catch {
    return undefined;
  }
}

/** https://docs.slack.dev/reference/block-kit/blocks */
function blocksProblem(args: Record<string, unknown>): string | undefined {
  const blocks = (args['blocks'] ?? []) as SlackBlock[];
  if (blocks.length > 50) return 'no more than 50 items allowed';
  if (textIn(args).length > 40_000) return 'text is too long';
  const lengths = JSON.stringify(blocks.map(({ text, elements }) => [text?.text, elements?.map((each) => each.text)]));
  if (lengths.length > 13_500) return 'blocks are too long';
  for (const { type, text, elements = [] } of blocks) {
    if (type === 'header' && (text?.type !== 'plain_text' || !within(text.text, 150))) return 'header';
    if (type === 'section' && !within(text?.text, 3_000)) return 'section';
    if (type === 'context' && (elements.length > 10 || !elements.every((each) => within(each.text, 2_000))))
      return 'context';
    if (type === 'actions' && (elements.length === 0 || elements.length > 25)) return 'actions';
    for (const { type: kind, url, value, text: label } of elements) {
      if (kind !== 'button') continue;
      if (typeof label !== 'object' || !within(label.text, 75) || !within(url ?? value, 3_000)) return 'button';
    }
  }
  return undefined;
}

const textIn = (args: Record<string, unknown>): string => (typeof args['text'] === 'string' ? args['text'] : '');
const within = (text: unknown, most: number): boolean =>
  typeof text === 'string' && text.length > 0 && text.length <= most;
const failed = (error: string) => ({ ok: false, error });
const json =
  (body: object): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
const text =
  (status: number, body: string): Answer =>
  (response) =>
    void response.writeHead(status).end(body);
const pick = (from: Record<string, unknown>, names: string[]): object =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
