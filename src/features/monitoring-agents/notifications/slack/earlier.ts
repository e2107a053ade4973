/** Whether an attempt whose answer was lost did post its message. */
import type { WebClient } from '@slack/web-api';

export const EVENT_TYPE = 'casebook_notification';

/** Clocks differ. */
const SLACK_SECONDS = 300;
const PAGE = 200;
const MOST_PAGES = 3;

export interface Posted {
  channel: string;
  ts: string;
}

/** A page of messages, as far as it is of interest. */
interface Page {
  messages?: { ts?: string; metadata?: { event_type?: string; event_payload?: object } }[];
  response_metadata?: { next_cursor?: string };
}

export interface Wanted {
  /** An id, or a name. */
  channel: string;
  threadTs?: string;
  idempotencyKey: string;
  /** When it happened, unix milliseconds: no message about it is older. */
  at: number;
}

/**
 * Looks a notification up by its key among the channel's (or thread's) messages since it happened.
 * @returns undefined also where the token may not read: then a message may come twice, which is better than never
 */
export async function findPosted(client: WebClient, wanted: Wanted): Promise<Posted | undefined> {
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
  for (let page = 0; page < MOST_PAGES; page += 1) {
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

/** Messages are read by the channel's id only; posting takes its name as well. */
async function channelId(client: WebClient, channel: string): Promise<string | undefined> {
  if (/^[CGD][A-Z0-9]{8,}$/.test(channel)) return channel;
  const name = channel.replace(/^#/, '');
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
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
