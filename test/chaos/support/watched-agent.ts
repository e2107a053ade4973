/** A monitoring agent that watches a played gauge and reports to a receiver of its own, as tests that kill processes drive it. */
import assert from 'node:assert/strict';
import { waitUntil } from '../../support/wait-until.ts';
import type { HeldPrometheus } from '../../support/held-prometheus.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const SECRET = 'whsec_c2VjcmV0IG9mIHRoZSB3YXRjaGVkIGFnZW50cw==';

// oxlint-disable-next-line typescript/no-explicit-any -- what the tests read of it, they check
export type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: any }>;

export interface WatchedSession {
  id: string;
  check_id: string;
  status: string;
  trigger: string;
  missed: number;
  plan_version: number;
  scheduled_at: string;
  started_at: string;
  finished_at: string | null;
}

export interface WatchedFinding {
  id: string;
  origin: string;
  status: string;
  occurrences: number;
  investigation: { id: string } | null;
}

export interface WatchedNotification {
  event: string;
  status: string;
  attempts: number;
  last_error: string | null;
}

export interface WatchedAgent {
  id: string;
  /** The name of its gauge. */
  gauge: string;
  receiver: WebhookReceiver;
  /** A path of the agent's own. */
  at(path: string): string;
  set(value: number): void;
  /** By the time at which they were begun. */
  sessions(checkId?: string): Promise<WatchedSession[]>;
  untilSessions(what: string, wanted: (sessions: WatchedSession[]) => boolean): Promise<WatchedSession[]>;
  findings(): Promise<WatchedFinding[]>;
  untilFinding(what: string, wanted: (finding: WatchedFinding) => boolean): Promise<WatchedFinding>;
  notifications(findingId: string): Promise<WatchedNotification[]>;
  /** What was told of a finding: each event once, in order; keys that came again are left out. */
  told(findingId: string): string[];
  /** Waits until so much was told of a finding. */
  untilTold(findingId: string, ...events: string[]): Promise<void>;
  /** What a list shows of it. */
  listed(): Promise<{ status: string; reasons: string[]; plan_version: number }>;
  untilListed(status: string): Promise<string[]>;
  runNow(): Promise<void>;
}

/** A check of a gauge: a finding above 100, run once unless its schedule says otherwise. */
export const gaugeCheck = (gauge: string, labels = '', more: object = {}): Record<string, unknown> => ({
  id: 'queue',
  title: `Queue of ${gauge}`,
  check: {
    type: 'metric',
    source: 'prometheus',
    promql: `queue_length{gauge="${gauge}"${labels}}`,
    window_seconds: 60,
    condition: { type: 'threshold', operator: '>', value: 100 },
  },
  schedule: { every_seconds: 3_600 },
  recoveries: 1,
  ...more,
});

/** Makes an agent. @param options.checks one check of its gauge unless given */
export async function watch(
  place: { call: Call; held: HeldPrometheus },
  gauge: string,
  options: { checks?: object[]; value?: number; receiverUrl?: string } = {},
): Promise<WatchedAgent> {
  const { call, held } = place;
  const { checks = [gaugeCheck(gauge)], value = 1 } = options;
  const receiver = await startWebhookReceiver(SECRET);
  receivers.push(receiver);
  held.set(gauge, value);
  const { status, body } = await call('POST', '/api/monitoring-chat', {
    message: `Watch ${gauge}.`,
    title: `Watch of ${gauge}`,
    plan: { summary: `The queue of ${gauge}`, checks },
    notification_channel: { type: 'webhook', url: options.receiverUrl ?? receiver.url, secret: SECRET },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return follow(place, String(body.chat_id), gauge, receiver);
}

const receivers: WebhookReceiver[] = [];

/** Another receiver with the same secret. */
export async function startReceiver(port?: number): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(SECRET, port);
  receivers.push(receiver);
  return receiver;
}

/** Stops the receivers of all agents. */
export async function stopReceivers(): Promise<void> {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
}

/** Drives an agent that is there already. */
export function follow(
  { call, held }: { call: Call; held: HeldPrometheus },
  id: string,
  gauge: string,
  receiver: WebhookReceiver,
): WatchedAgent {
  const at = (path: string): string => `/api/monitoring-chat/${id}${path}`;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  const get = async (path: string): Promise<any> => {
    const { status, body } = await call('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  /** What was seen last is part of the error: a condition that does not come about is not to be guessed at. */
  const until = async <T>(what: string, read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> => {
    let seen: T | undefined;
    return waitUntil(async () => (wanted((seen = await read())) ? seen : undefined), {
      what,
    }).catch((error: unknown) => {
      throw new Error(`${what}: what is there is ${JSON.stringify(seen)}`, { cause: error });
    });
  };
  const sessions = async (checkId?: string): Promise<WatchedSession[]> => {
    const { sessions: found } = await get(
      at(`/sessions?count=100${checkId === undefined ? '' : `&check_id=${checkId}`}`),
    );
    return (found as WatchedSession[]).toReversed();
  };
  const findings = async (): Promise<WatchedFinding[]> => (await get(at('/findings'))).findings;
  const listed = async () => {
    const { chats } = await get('/api/monitoring-chat/list');
    return (chats as { chat_id: string; status: string; reasons: string[]; plan_version: number }[]).find(
      (chat) => chat.chat_id === id,
    )!;
  };
  const told = (findingId: string): string[] =>
    receiver.events
      .filter((event) => (event as { finding: { id: string } | null }).finding?.id === findingId)
      .map(({ event }) => String(event));
  return {
    id,
    gauge,
    receiver,
    at,
    set: (value) => held.set(gauge, value),
    sessions,
    untilSessions: (what, wanted) => until(what, () => sessions(), wanted),
    findings,
    untilFinding: async (what, wanted) => (await until(what, findings, (found) => found.some(wanted))).find(wanted)!,
    notifications: async (findingId) => (await get(`/api/findings/${findingId}`)).notifications,
    told,
    async untilTold(findingId, ...events) {
      await until(
        `told: ${events.join(', ')}`,
        async () => told(findingId),
        (seen) => seen.length >= events.length,
      );
      assert.deepEqual(told(findingId), events);
    },
    listed,
    untilListed: async (status) => (await until(status, listed, (seen) => seen.status === status)).reasons,
    async runNow() {
      const { status, body } = await call('POST', at('/run'), {});
      assert.equal(status, 200, JSON.stringify(body));
    },
  };
}
