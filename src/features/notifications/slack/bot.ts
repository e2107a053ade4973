/** Posts as a bot, with related messages in one thread. */
import {
  LogLevel,
  WebClient,
  type ChatPostMessageArguments,
  type ChatPostMessageResponse,
  type Logger,
} from '@slack/web-api';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { SlackChannel } from '../channel.ts';
import { DeliveryError, type Delivered, type Delivery, type SendNotification, type ThreadRef } from '../port.ts';
import { toSlackMessage } from './blocks.ts';
import { fromWebApi, slackCode } from './errors.ts';

/** The thread's first message was deleted: the news is still worth posting. */
const THREAD_IS_GONE = new Set(['thread_not_found', 'message_not_found', 'cannot_reply_to_message']);

export function createSlackBot(
  channel: SlackChannel,
  options: { apiUrl: string; outbound: Outbound; isInteractive?: boolean },
): SendNotification {
  return async (delivery) => {
    const client = createSlackClient({ ...options, botToken: channel.bot_token, signal: delivery.signal });
    try {
      return await deliver(client, channel, delivery, options.isInteractive ?? false);
    } catch (error) {
      throw fromWebApi(error);
    }
  };
}

/** The address of a Slack user; undefined if they have none, or are not of the bot's workspace. @throws {DeliveryError} */
export async function slackEmail(
  channel: SlackChannel,
  userId: string,
  options: { apiUrl: string; outbound: Outbound; signal: AbortSignal },
): Promise<string | undefined> {
  try {
    const { user } = await createSlackClient({ ...options, botToken: channel.bot_token }).users.info({ user: userId });
    return user?.deleted === true || user?.is_bot === true ? undefined : user?.profile?.email;
  } catch (error) {
    if (slackCode(error) === 'user_not_found') return undefined;
    throw fromWebApi(error);
  }
}

async function deliver(
  client: WebClient,
  { channel }: SlackChannel,
  delivery: Delivery,
  isInteractive: boolean,
): Promise<Delivered> {
  const thread = threadOf(delivery.thread, channel);
  const target = thread?.channel ?? channel;
  if (delivery.attempt > 1) {
    const { idempotencyKey, message } = delivery;
    const posted = await findPosted(client, { channel: target, threadTs: thread?.ts, idempotencyKey, at: message.at });
    if (posted) return delivered(channel, posted, thread, ', by an earlier attempt');
  }
  const answer = await post(client, target, thread?.ts, delivery, isInteractive);
  const { ts, channel: id } = answer;
  if (ts === undefined || id === undefined) {
    throw new DeliveryError('Slack accepted the message but did not return its id.', { retryable: false });
  }
  return delivered(channel, { channel: id, ts }, thread);
}

async function post(
  client: WebClient,
  channel: string,
  threadTs: string | undefined,
  { message, idempotencyKey }: Delivery,
  isInteractive: boolean,
): Promise<ChatPostMessageResponse> {
  const args = {
    channel,
    ...toSlackMessage(message, { isInteractive }),
    metadata: { event_type: EVENT_TYPE, event_payload: { idempotency_key: idempotencyKey } },
    // Text from telemetry contains no names or URLs to link.
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  } as const;
  const say = (what: ChatPostMessageArguments): Promise<ChatPostMessageResponse> =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Slack's method, not that of a window
    client.chat.postMessage(what);
  if (threadTs === undefined) return await say(args);
  try {
    return await say({ ...args, thread_ts: threadTs, reply_broadcast: message.isBroadcast ?? false });
  } catch (error) {
    if (!THREAD_IS_GONE.has(slackCode(error) ?? '')) throw error;
    return await say(args);
  }
}

function delivered(to: string, { channel, ts }: Posted, thread: Posted | undefined, how = ''): Delivered {
  const root = thread ?? { channel, ts };
  return {
    thread: { to, channel: root.channel, ts: root.ts },
    receipt: `Slack message ${ts} in ${channel}${how}`,
  };
}

/** The thread, unless it is in a channel other than the current one. */
function threadOf(thread: ThreadRef | undefined, to: string): Posted | undefined {
  const { channel, ts } = thread ?? {};
  return thread?.['to'] === to && channel !== undefined && ts !== undefined ? { channel, ts } : undefined;
}

/** Silences the client's own log, which contains URLs and bodies; the errors carry what matters. */
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Slack's client for one delivery: it makes one attempt, and stops when the delivery is stopped. */
function createSlackClient(options: {
  botToken: string;
  apiUrl: string;
  outbound: Outbound;
  signal: AbortSignal;
}): WebClient {
  return new WebClient(options.botToken, {
    slackApiUrl: options.apiUrl,
    allowAbsoluteUrls: false,
    fetch: (url, init) => options.outbound.fetch(url, { ...init, signal: options.signal }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: SILENT,
  });
}

const EVENT_TYPE = 'casebook_notification';

/** Tolerance for clock skew. */
const SLACK_SECONDS = 300;
const PAGE = 200;
const MAX_PAGES = 3;

interface Posted {
  channel: string;
  ts: string;
}

/** A page of messages, reduced to the relevant members. */
interface Page {
  messages?: { ts?: string; metadata?: { event_type?: string; event_payload?: object } }[];
  response_metadata?: { next_cursor?: string };
}

interface Wanted {
  /** An id, or a name. */
  channel: string;
  threadTs?: string;
  idempotencyKey: string;
  /** When the event happened, unix milliseconds: no message about it is older. */
  at: number;
}

/**
 * Looks up a notification by its key among the channel's (or thread's) messages since the event.
 * @returns undefined also if the token lacks read permission: a duplicate message is better than none
 */
async function findPosted(client: WebClient, wanted: Wanted): Promise<Posted | undefined> {
  try {
    const channel = await channelId(client, wanted.channel);
    return channel === undefined ? undefined : await search(client, channel, wanted);
  } catch {
    return undefined;
  }
}

async function search(client: WebClient, channel: string, wanted: Wanted): Promise<Posted | undefined> {
  const { threadTs, idempotencyKey, at } = wanted;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = {
      channel,
      cursor,
      limit: PAGE,
      oldest: String(Math.floor(at / 1_000) - SLACK_SECONDS),
      include_all_metadata: true,
    };
    const found: Page =
      threadTs === undefined
        ? await client.conversations.history(query)
        : await client.conversations.replies({ ...query, ts: threadTs });
    const ts = found.messages?.find(({ metadata }) => keyOf(metadata) === idempotencyKey)?.ts;
    if (ts !== undefined) return { channel, ts };
    cursor = found.response_metadata?.next_cursor;
    if (!cursor) return undefined;
  }
  return undefined;
}

function keyOf(metadata: { event_type?: string; event_payload?: object } | undefined): unknown {
  if (metadata?.event_type !== EVENT_TYPE) return undefined;
  const payload = metadata.event_payload;
  return payload && 'idempotency_key' in payload ? payload.idempotency_key : undefined;
}

/** Reading needs the channel's id; posting accepts its name as well. */
async function channelId(client: WebClient, channel: string): Promise<string | undefined> {
  if (/^[CGD][A-Z0-9]{8,}$/.test(channel)) return channel;
  const name = channel.replace(/^#/, '');
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const list = await client.conversations.list({
      cursor,
      limit: 1_000,
      exclude_archived: true,
      types: 'public_channel,private_channel',
    });
    const found = list.channels?.find((each) => each.name === name);
    if (found) return found.id;
    cursor = list.response_metadata?.next_cursor;
    if (!cursor) return undefined;
  }
  return undefined;
}
