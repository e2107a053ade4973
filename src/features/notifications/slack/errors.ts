/** Slack's errors in words without secrets, and whether a retry can help. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { OutboundError } from '../../../platform/outbound/index.ts';
import { DeliveryError } from '../port.ts';
import { fromOutbound, isRetryableStatus } from '../port.ts';

/**
 * Error codes for faults of Slack, not of the request. https://docs.slack.dev/reference/methods/chat.postMessage#errors
 */
const TRANSIENT = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'rate_limited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

const HINTS: Record<string, string> = {
  channel_not_found: 'the channel does not exist, or the bot is not in it',
  not_in_channel: 'the bot is not in the channel: invite it',
  is_archived: 'the channel is archived',
  invalid_auth: 'the bot token is not valid',
  account_inactive: 'the bot token belongs to a deleted user or workspace',
  token_revoked: 'the bot token was revoked',
  token_expired: 'the bot token has expired',
  missing_scope: 'the bot token lacks the scope chat:write',
  restricted_action: 'the workspace does not let bots post there',
};

/** Slack's error code, if it is well-formed. */
export function slackCode(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  return typeof error.data.error === 'string' && /^[a-z0-9_]{1,80}$/.test(error.data.error)
    ? error.data.error
    : undefined;
}

/** Converts errors of the Web API client. Returns any other unchanged. */
export function fromWebApi(error: unknown): unknown {
  if (error instanceof WebAPIRateLimitedError) {
    return new DeliveryError('Slack accepts no more messages for now (rate limit).', {
      retryable: true,
      retryAfterMs: error.retryAfter * 1_000,
    });
  }
  if (error instanceof WebAPIPlatformError) {
    const code = slackCode(error);
    if (code === undefined) return new DeliveryError('Slack returned an invalid answer.', { retryable: true });
    const hint = HINTS[code];
    return new DeliveryError(`Slack refused the message: ${code}${hint ? ` (${hint})` : ''}.`, {
      retryable: TRANSIENT.has(code),
    });
  }
  if (error instanceof WebAPIHTTPError) {
    return new DeliveryError(`Slack answered with status ${error.statusCode}.`, {
      retryable: isRetryableStatus(error.statusCode),
    });
  }
  if (error instanceof WebAPIRequestError) {
    return error.original instanceof OutboundError
      ? fromOutbound(error.original)
      : new DeliveryError('Slack could not be reached.', { retryable: true });
  }
  return error;
}
