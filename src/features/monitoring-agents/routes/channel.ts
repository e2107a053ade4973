import { InvalidRequest } from '../../../http/errors.ts';
import { channelProblems, type ChannelCapabilities, type NotificationChannel } from '../../notifications/index.ts';

/**
 * A channel that this installation can send to.
 * @throws {InvalidRequest} with every reason why it cannot
 */
export function acceptedChannel(capabilities: ChannelCapabilities, channel: NotificationChannel): NotificationChannel {
  const problems = channelProblems(channel, capabilities);
  if (problems.length === 0) return channel;
  throw new InvalidRequest(
    problems.map(({ path, message }) => ({
      type: 'value_error',
      loc: ['body', 'notification_channel', ...path],
      msg: message,
      // Parts of a channel are secrets.
      input: null,
    })),
  );
}
