/** Notifications: the kinds of channels, their senders, and an outbox on the effects ledger. */
export {
  acceptedChannel,
  CHANNEL_TYPES,
  channelContext,
  channelProblems,
  completeChannel,
  NotificationChannel,
  openChannel,
  presentChannel,
  sealChannel,
  storeChannel,
  type ChannelCapabilities,
  type ChannelProblem,
  type CompleteChannel,
  type StoredChannel,
} from './channel.ts';
export {
  deliverNotification,
  enterNotification,
  NOTIFICATION,
  notificationOf,
  threadOf,
  type Deliver,
  type Notification,
  type NotificationDeps,
} from './deliver.ts';
export { isFromSlack, readPress, signSlackRequest, type SlackPress } from './slack/interactions.ts';
export { createNotifier, type Notifier, type NotifierDeps } from './notifier.ts';
export { DeliveryError, type Delivered, type Delivery, type NotificationMessage, type ThreadRef } from './port.ts';
export { notificationsRoom } from './room.ts';
