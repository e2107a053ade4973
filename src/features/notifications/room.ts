import { createOutbound } from '../../platform/outbound/index.ts';
import type { Room, RoomCore } from '../../room.ts';
import { configuration, type NotificationSettings } from './configuration.ts';
import type { Deliver } from './deliver.ts';
import { createNotifier } from './notifier.ts';

export const notificationsRoom = {
  name: 'notifications',
  configuration,
  build({ config: { outboundAllow, slack, mail }, clock, log, secrets }: RoomCore & { config: NotificationSettings }) {
    /** Decides which channels this installation can send to. */
    const channels = { outbound: createOutbound({ allow: outboundAllow, log }), slack, mail };
    const notifier = createNotifier({ ...channels, box: secrets, clock });
    const deliver: Deliver = (stored, teamId, delivery) => notifier.send(stored, teamId, delivery);
    return { channels, notifier, deliver };
  },
} satisfies Room;
