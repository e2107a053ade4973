/** Posts through an incoming webhook, which has no threads and does not return the message's id. */
import { IncomingWebhook, IncomingWebhookHTTPError, IncomingWebhookRequestError } from '@slack/webhook';
import type { SlackAddresses } from '../configuration.ts';
import type { Clock } from '../../../platform/clock.ts';
import { OutboundError, type Outbound } from '../../../platform/outbound/index.ts';
import { isSlackWebhookUrl } from '../channel.ts';
import type { SlackWebhookChannel } from '../channel.ts';
import { fromOutbound, isRetryableStatus, retryAfterMs } from '../port.ts';
import { DeliveryError, type SendNotification } from '../port.ts';
import { oneLine } from '../text.ts';
import { toSlackMessage } from './blocks.ts';

export function createSlackWebhook(
  channel: SlackWebhookChannel,
  options: { slack: SlackAddresses; outbound: Outbound; clock: Clock },
): SendNotification {
  return async ({ message, thread, signal }) => {
    if (!isSlackWebhookUrl(channel.url, options.slack)) {
      throw new DeliveryError('The URL of the incoming webhook is not a Slack URL.', { retryable: false });
    }
    let retryAfter: string | null = null;
    const webhook = new IncomingWebhook(channel.url, {
      // The client does not expose response headers.
      fetch: async (url, init) => {
        const response = await options.outbound.fetch(url, { ...init, signal });
        retryAfter = response.headers.get('retry-after');
        return response;
      },
    });
    const about = thread?.['title'];
    try {
      await webhook.send({ ...toSlackMessage(message, { about }), unfurl_links: false, unfurl_media: false });
    } catch (error) {
      throw fromWebhook(error, retryAfterMs(retryAfter, options.clock.now().getTime()));
    }
    return {
      thread: { title: about ?? oneLine(message.title, 300) },
      receipt: 'accepted by the Slack incoming webhook',
    };
  };
}

function fromWebhook(error: unknown, waitMs: number | undefined): unknown {
  if (error instanceof IncomingWebhookHTTPError) {
    // A code such as no_service or invalid_payload, or possibly a whole page.
    const reason = /^[a-z0-9_]{1,80}$/.test(error.body.trim()) ? `: ${error.body.trim()}` : '';
    return new DeliveryError(`Slack answered the incoming webhook with status ${error.statusCode}${reason}.`, {
      retryable: isRetryableStatus(error.statusCode),
      retryAfterMs: waitMs,
    });
  }
  if (error instanceof IncomingWebhookRequestError) {
    return error.original instanceof OutboundError
      ? fromOutbound(error.original)
      : new DeliveryError('Slack could not be reached.', { retryable: true });
  }
  return error;
}
