/** Posts as a bot: what belongs to one finding in one thread. */
import type { ChatPostMessageArguments, ChatPostMessageResponse, WebClient } from '@slack/web-api';
import type { Outbound } from '../../../../platform/outbound/index.ts';
import type { SlackChannel } from '../channel.ts';
import { DeliveryError, type Delivered, type Delivery, type SendNotification, type ThreadRef } from '../port.ts';
import { toSlackMessage } from './blocks.ts';
import { createSlackClient } from './client.ts';
import { EVENT_TYPE, findPosted, type Posted } from './earlier.ts';
import { fromWebApi, slackCode } from './errors.ts';

/** The first message of the thread was deleted: the rest is worth telling all the same. */
const THREAD_IS_GONE = new Set(['thread_not_found', 'message_not_found', 'cannot_reply_to_message']);

export function createSlackBot(
  channel: SlackChannel,
  options: { apiUrl: string; outbound: Outbound },
): SendNotification {
  return async (delivery) => {
    const client = createSlackClient({ ...options, botToken: channel.bot_token, signal: delivery.signal });
    try {
      return await deliver(client, channel, delivery);
    } catch (error) {
      throw fromWebApi(error);
    }
  };
}

async function deliver(client: WebClient, { channel }: SlackChannel, delivery: Delivery): Promise<Delivered> {
  const thread = threadOf(delivery.thread, channel);
  const target = thread?.channel ?? channel;
  if (delivery.attempt > 1) {
    const { idempotencyKey, message } = delivery;
    const posted = await findPosted(client, { channel: target, threadTs: thread?.ts, idempotencyKey, at: message.at });
    if (posted) return delivered(channel, posted, thread, ', by an earlier attempt');
  }
  const answer = await post(client, target, thread?.ts, delivery);
  const { ts, channel: id } = answer;
  if (ts === undefined || id === undefined) {
    throw new DeliveryError('Slack took the message and did not say where it is.', { retryable: false });
  }
  return delivered(channel, { channel: id, ts }, thread);
}

async function post(
  client: WebClient,
  channel: string,
  threadTs: string | undefined,
  { message, idempotencyKey }: Delivery,
): Promise<ChatPostMessageResponse> {
  const args = {
    channel,
    ...toSlackMessage(message),
    metadata: { event_type: EVENT_TYPE, event_payload: { idempotency_key: idempotencyKey } },
    // What looks like a name or a URL in text of telemetry is neither.
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
    // One that was over and is back should be seen by who does not follow the thread.
    return await say({ ...args, thread_ts: threadTs, reply_broadcast: message.event === 'reopened' });
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

/** The thread of the finding, unless it is in another channel than the one that is set now. */
function threadOf(thread: ThreadRef | undefined, to: string): Posted | undefined {
  const { channel, ts } = thread ?? {};
  return thread?.['to'] === to && channel !== undefined && ts !== undefined ? { channel, ts } : undefined;
}
