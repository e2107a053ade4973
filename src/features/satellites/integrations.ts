/** Systems that a team has connected at Casebook, and one of its satellites reaches. */
import { randomUUID } from 'node:crypto';
import { QueryError, type Transport } from '@casebook/connectors';
import type { ConnectorKind, RequestTarget } from '@casebook/wire';
import { z } from 'zod';
import type { Orm } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import { SecretError, type SecretBox } from '../../platform/secrets.ts';
import type { SourceCall } from '../sources/index.ts';
import { overTargets } from './agent/transport.ts';
import type { SatelliteCalls } from './calls/port.ts';
import { Satellite } from './entities.ts';

/** Timeout of the system behind the satellite, in ms: shorter than a tool call's, so that its failure can be reported. */
const ANSWER_MS = 75_000;

const config = z.record(z.string(), z.unknown());

/** What a connection is sealed for on its way through the event log. */
const contextOf = ({ teamId, id }: { teamId: string; id: string }): string => `satellite ${id} of ${teamId}`;

/** @throws {SecretError} */
export function openConfig(
  secrets: Pick<SecretBox, 'open'>,
  satellite: { teamId: string; id: string },
  { config: { sealed } }: Extract<RequestTarget, { kind: 'integration' }>,
): Record<string, unknown> {
  if (typeof sealed !== 'string') throw new SecretError('The configuration is not sealed.');
  return config.parse(JSON.parse(secrets.open(sealed, contextOf(satellite))));
}

export interface IntegrationTarget {
  /** The satellite's name. */
  satellite: string;
  integration: string;
  connector: ConnectorKind;
  /** Holds secrets. */
  config: Readonly<Record<string, unknown>>;
}

/** Asks a system through a satellite, with the team's own credentials, which the satellite keeps in memory only. */
export function integrationsOverSatellites(deps: { orm: Orm; calls: SatelliteCalls; secrets: SecretBox }) {
  const { orm, calls, secrets } = deps;
  return (
    call: Pick<SourceCall, 'teamId' | 'isGivenUp' | 'onWait'> & { requestId?: string },
    { satellite: name, integration, connector, config }: IntegrationTarget,
  ): Transport => ({
    place: `satellite ${name} (${integration})`,
    async call(operation, parameters, context) {
      const { teamId, requestId } = call;
      const row = await forTeam(orm.em, teamId).findOne(Satellite, { name });
      if (!row) throw new QueryError('not_found', `The team has no satellite "${name}".`);
      if (!row.summary.integrations?.includes(connector))
        throw new QueryError(
          'failed',
          `Satellite ${name} is too old, or its configuration does not allow Casebook to connect it to a ${connector}.`,
        );
      const sealed = secrets.seal(JSON.stringify(config), contextOf(row));
      const id = requestId ?? randomUUID();
      const to = overTargets({ ...call, calls, idOf: () => id }, row, {
        name: integration,
        timeoutMs: Math.min(ANSWER_MS, context.remainingMs ?? ANSWER_MS),
        targetOf: (asked, given) => ({
          kind: 'integration',
          integration,
          connector,
          config: { sealed },
          operation: asked,
          parameters: given,
        }),
      });
      return to.call(operation, parameters, context);
    },
  });
}
