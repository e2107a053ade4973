/** Which repositories a team has connected. */
import { raw } from '@mikro-orm/core';
import { CodeHostError, type CodeHost } from '@casebook/connectors';
import { forTeam } from '../../db/team-filter.ts';
import type { EntityManager, Orm } from '../../db/orm.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { Integration } from '../integrations/index.ts';
import { Repository } from './entities.ts';
import { repositoryNotFound } from './errors.ts';
import type { Repositories } from './port.ts';

export interface RepositoriesDeps {
  orm: Orm;
  /** Opens a code host with a credential that is still good. @throws {CodeHostError} */
  open(row: Integration): Promise<CodeHost>;
  networkOf(row: Integration): Outbound['network'];
}

export function createRepositories({ orm, open, networkOf }: RepositoriesDeps): Repositories {
  const rowOf = async ({ teamId, integrationId }: Repository): Promise<Integration> => {
    const row =
      integrationId === null ? null : await forTeam(orm.em, teamId).findOne(Integration, { id: integrationId });
    if (!row) throw new CodeHostError('unauthorized', 'The code host was disconnected.');
    if (!row.enabled) throw new CodeHostError('unauthorized', `${row.name} is turned off.`);
    return row;
  };

  return {
    hostOf: async (repository) => open(await rowOf(repository)),
    networkOf: async (repository) => networkOf(await rowOf(repository)),
    async find(em, fullName) {
      const found = await connected(em, { [raw('lower(full_name)')]: fullName.toLowerCase() });
      if (!found[0]) throw repositoryNotFound(fullName);
      return found[0];
    },
    list: (em) => connected(em, {}),
  };
}

/** Where hosts have repositories of the same name, the one that was connected first comes first. */
async function connected(em: EntityManager, where: object): Promise<Repository[]> {
  const hosts = await em.find(Integration, { enabled: true, status: { $ne: 'pending' } }, { fields: ['id'] });
  const integrationId = { $in: hosts.map(({ id }) => id) };
  return em.find(Repository, { ...where, integrationId }, { orderBy: { fullName: 'asc', createdAt: 'asc' } });
}
