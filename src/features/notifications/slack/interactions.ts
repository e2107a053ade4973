/**
 * Buttons that people press in Slack: requests that Slack signs, and the person behind a Slack user.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** Older requests may be replays. */
const MAX_AGE_SECONDS = 300;

/**
 * Whether Slack signed a request, lately.
 * @param body as it came
 * @param now unix milliseconds
 */
export function isFromSlack(
  signingSecret: string,
  { timestamp, signature, body }: { timestamp: string; signature: string; body: string },
  now: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > MAX_AGE_SECONDS) return false;
  const expected = Buffer.from(signSlackRequest(signingSecret, timestamp, body));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export const signSlackRequest = (signingSecret: string, timestamp: string, body: string): string =>
  `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`;

const text = z.string().min(1).max(200);

/** The parts of a `block_actions` payload that matter. */
const Payload = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: text }),
  container: z.object({ channel_id: text, message_ts: text, thread_ts: text.optional() }),
  actions: z.array(z.object({ action_id: text, value: z.string().max(2_000).optional() })).min(1),
  response_url: z.url().max(2_000).optional(),
});

export interface SlackPress {
  /** The id of the button, as the message had it. */
  action: string;
  value: string;
  slackUserId: string;
  channel: string;
  /** The first message of the thread. */
  rootTs: string;
  /** Where a reply for the person alone goes. */
  responseUrl?: string;
}

/** A pressed button, from a form with a member `payload`; undefined for anything else. */
export function readPress(body: string): SlackPress | undefined {
  const parsed = Payload.safeParse(jsonOf(new URLSearchParams(body).get('payload')));
  if (!parsed.success) return undefined;
  const { user, container, actions, response_url: responseUrl } = parsed.data;
  const [pressed] = actions;
  return {
    action: pressed!.action_id,
    value: pressed!.value ?? '',
    slackUserId: user.id,
    channel: container.channel_id,
    rootTs: container.thread_ts ?? container.message_ts,
    ...(responseUrl !== undefined && { responseUrl }),
  };
}

function jsonOf(given: string | null): unknown {
  try {
    return given === null ? undefined : JSON.parse(given);
  } catch {
    return undefined;
  }
}
