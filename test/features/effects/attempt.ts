/** A process that makes one effect at a receiver over HTTP: tests kill it. Arguments: database URL, team, receiver. */
import { openOrm } from '../../../src/db/orm.ts';
import { entities } from '../../../src/rooms.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { claimEffect, makeOnce } from '../../../src/features/effects/index.ts';

const [databaseUrl = '', teamId = '', receiver = ''] = process.argv.slice(2);
const orm = await openOrm({ databaseUrl, entities });
const effect = await claimEffect(forTeam(orm.em, teamId), { teamId, kind: 'ticket', key: 'ticket:1', ownerId: teamId });
await makeOnce(
  { orm },
  effect,
  {
    timeoutMs: 2_000,
    async create({ key, signal }) {
      const response = await fetch(receiver, { method: 'POST', body: key, signal });
      return { id: await response.text() };
    },
  },
  new AbortController().signal,
);
await orm.close();
