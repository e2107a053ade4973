import { InvalidRequest } from '../../../http/errors.ts';
import { channelProblems, type ChannelCapabilities, type NotificationChannel } from '../../notifications/index.ts';

/**
 * Validates a channel against this installation.
 * @throws {InvalidRequest} with all problems
 */
export function acceptedChannel(capabilities: ChannelCapabilities, channel: NotificationChannel): NotificationChannel {
  const problems = channelProblems(channel, capabilities);
  if (problems.length === 0) return channel;
  throw new InvalidRequest(
    problems.map(({ path, message }) => ({
      type: 'value_error',
      loc: ['body', 'notification_channel', ...path],
      msg: message,
      // Omits the input, which contains secrets.
      input: null,
    })),
  );
}
