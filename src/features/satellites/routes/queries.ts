import { apiKey } from '../../../http/authenticate.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { HttpError } from '../../../http/errors.ts';
import type { SatelliteAnswer } from '../calls/port.ts';
import * as schemas from '../schemas.ts';
import { askSatellite, requireTeam } from '../service.ts';
import type { SatelliteDeps } from './deps.ts';

const endpoint = endpointFor<SatelliteDeps>();

export const integration = endpoint({
  method: 'post',
  path: '/satellite/query/integration',
  operationId: 'querySatelliteIntegration',
  summary: 'Ask a system behind a satellite',
  description:
    'Runs one operation of a connector and answers with its result. Nothing is written. A satellite that is offline is a 503 with `last_seen`; a query whose satellite loses its connection is asked once more within the time.',
  tags: ['Satellites'],
  auth: apiKey('satellites:query'),
  body: schemas.IntegrationQueryRequest,
  response: schemas.IntegrationQueryResponse,
  errors: [404, 409, 502, 503, 504],
  handler: async (call) => {
    const { em, body, principal, deps, signal } = call;
    requireTeam(principal, body.team_id);
    const { connector, operation, parameters, satellite_id: satelliteId, timeout_seconds: timeoutSeconds } = body;
    const question = {
      satelliteId,
      target: { kind: 'connector' as const, connector, operation, parameters },
      timeoutSeconds,
    };
    const calls = { calls: deps.satellites.calls, clock: deps.clock };
    const { satellite, answer } = await askSatellite(calls, em, principal, question, signal);
    return {
      satellite_id: satellite.id,
      satellite: satellite.name,
      connector,
      operation,
      result: resultOf(answer),
      took_ms: Math.round(answer.tookMs),
    };
  },
});

export const mcp = endpoint({
  method: 'post',
  path: '/satellite/query/mcp',
  operationId: 'callSatelliteTool',
  summary: 'Call a tool of an MCP server behind a satellite',
  description:
    'Answers with what the server answered, whole; a tool that reports an error is a 200 with `isError` in its result. Tools that are not known to change nothing need the scope satellites:act.',
  tags: ['Satellites'],
  auth: apiKey('satellites:query'),
  body: schemas.MCPToolCallRequest,
  response: schemas.MCPToolCallResponse,
  errors: [404, 409, 502, 503, 504],
  handler: async (call) => {
    const { em, body, principal, deps, signal } = call;
    requireTeam(principal, body.team_id);
    const { server, tool, satellite_id: satelliteId, timeout_seconds: timeoutSeconds } = body;
    const question = {
      satelliteId,
      target: { kind: 'mcp' as const, server, tool, arguments: body.arguments },
      timeoutSeconds,
    };
    const calls = { calls: deps.satellites.calls, clock: deps.clock };
    const { satellite, answer } = await askSatellite(calls, em, principal, question, signal);
    return {
      satellite_id: satellite.id,
      satellite: satellite.name,
      server,
      tool,
      result: resultOf(answer),
      took_ms: Math.round(answer.tookMs),
    };
  },
});

/** What a satellite calls JSON need not be. */
function resultOf({ text }: SatelliteAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HttpError(502, 'query_failed', 'The satellite answered with something that is not JSON.', {
      cause: error,
    });
  }
}
