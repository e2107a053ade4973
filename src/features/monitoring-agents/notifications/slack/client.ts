import { WebClient, LogLevel, type Logger } from '@slack/web-api';
import type { Outbound } from '../../../../platform/outbound/index.ts';

/** The client's own log has URLs and bodies in it; what matters of them is in the errors. */
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Slack's client for one delivery: it tries once, and stops when the delivery is stopped. */
export function createSlackClient(options: {
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
