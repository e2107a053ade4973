import type { Room, RoomCore } from '../../room.ts';
import { Effect } from './entities.ts';
import { purgeEffects } from './ledger.ts';

export const effectsRoom = {
  name: 'effects',
  entities: [Effect],
  sweeps: [({ orm, clock }: RoomCore) => purgeEffects(orm, clock.now())],
} satisfies Room;
