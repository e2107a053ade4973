/** Where the team is told that an integration has stopped answering, or answers again. */
import { z } from 'zod';
import { endpointFor } from '../../../http/endpoint.ts';
import {
  acceptedChannel,
  NotificationChannel,
  presentChannel,
  storeChannel,
  type ChannelCapabilities,
} from '../../notifications/index.ts';
import { lockTeamFor } from '../../identity/index.ts';
import type { IntegrationDeps } from '../deps.ts';
import { IntegrationAlerts } from '../entities.ts';
import { ChannelResponse } from '../schemas/shared.ts';
import { reading, tags, writing } from './shared.ts';

const endpoint = endpointFor<IntegrationDeps & { channels: ChannelCapabilities }>();
const path = '/api/integrations/alerts';

export const alerts = [
  endpoint({
    method: 'get',
    path,
    operationId: 'getIntegrationAlerts',
    summary: 'Get where the team is told of failing integrations',
    description: 'Without a channel, whoever connected the system is told by mail, if the installation can send mail.',
    tags,
    auth: reading,
    response: ChannelResponse,
    handler: async ({ em }) => ({
      channel: presentChannel((await em.findOne(IntegrationAlerts, {}))?.channel ?? null),
      generated_secret: null,
    }),
  }),
  endpoint({
    method: 'put',
    path,
    operationId: 'setIntegrationAlerts',
    summary: 'Choose where the team is told of failing integrations',
    tags,
    auth: writing,
    body: z.strictObject({ channel: NotificationChannel.nullable() }).meta({ id: 'IntegrationAlertsRequest' }),
    response: ChannelResponse,
    handler: async ({ em, body, principal, deps }) => {
      const { teamId } = principal;
      const made =
        body.channel &&
        storeChannel(
          deps.integrations.service.secrets,
          teamId,
          acceptedChannel(deps.channels, body.channel, ['channel']),
        );
      await em.transactional(async (tx) => {
        await lockTeamFor(tx, principal);
        await tx.nativeDelete(IntegrationAlerts, {});
        if (made) tx.create(IntegrationAlerts, { teamId, channel: made.stored });
      });
      return { channel: presentChannel(made?.stored ?? null), generated_secret: made?.generatedSecret ?? null };
    },
  }),
];
