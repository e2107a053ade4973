import { apiKey, type ApiKeyAuth } from '../../../http/authenticate.ts';
import { endpointFor, type Call } from '../../../http/endpoint.ts';
import { HttpError } from '../../../http/errors.ts';
import type { SatelliteAnswer } from '../calls/port.ts';
import * as schemas from '../schemas.ts';
import { askSatellite, requireTeam } from '../service.ts';
import type { RequestTarget } from '@casebook/wire';
import type { SatelliteDeps } from './deps.ts';

const endpoint = endpointFor<SatelliteDeps>();

export const integration = endpoint({
  method: 'post',
  path: '/satellite/query/integration',
  operationId: 'querySatelliteIntegration',
  summary: 'Query a system behind a satellite',
  description:
    'Runs one operation of a connector and returns its result. Nothing is written. An offline satellite is a 503 with `last_seen`; a query whose satellite loses its connection is repeated once within the timeout.',
  tags: ['Satellites'],
  auth: apiKey('satellites:query'),
  body: schemas.IntegrationQueryRequest,
  response: schemas.IntegrationQueryResponse,
  errors: [404, 409, 502, 503, 504],
  handler: async (call) => {
    const { connector, operation, parameters } = call.body;
    const target = { kind: 'connector' as const, connector, operation, parameters };
    return { connector, operation, ...(await answerTo(call, target)) };
  },
});

export const mcp = endpoint({
  method: 'post',
  path: '/satellite/query/mcp',
  operationId: 'callSatelliteTool',
  summary: 'Call a tool of an MCP server behind a satellite',
  description:
    "Returns the server's whole answer; a tool that reports an error is a 200 with `isError` in its result. Tools that are not known to be read-only need the scope satellites:act.",
  tags: ['Satellites'],
  auth: apiKey('satellites:query'),
  body: schemas.MCPToolCallRequest,
  response: schemas.MCPToolCallResponse,
  errors: [404, 409, 502, 503, 504],
  handler: async (call) => {
    const { server, tool } = call.body;
    return {
      server,
      tool,
      ...(await answerTo(call, { kind: 'mcp' as const, server, tool, arguments: call.body.arguments })),
    };
  },
});

type QueryCall = Pick<
  Call<SatelliteDeps, ApiKeyAuth, unknown, unknown, unknown, unknown>,
  'em' | 'principal' | 'deps' | 'signal'
> & {
  body: { team_id: string; satellite_id?: string | null; timeout_seconds: number };
};

async function answerTo({ em, body, principal, deps, signal }: QueryCall, target: RequestTarget) {
  requireTeam(principal, body.team_id);
  const question = { satelliteId: body.satellite_id, target, timeoutSeconds: body.timeout_seconds };
  const calls = { calls: deps.satellites.calls, clock: deps.clock };
  const { satellite, answer } = await askSatellite(calls, em, principal, question, signal);
  return {
    satellite_id: satellite.id,
    satellite: satellite.name,
    result: resultOf(answer),
    took_ms: Math.round(answer.tookMs),
  };
}

/** What a satellite calls JSON may not be. */
function resultOf({ text }: SatelliteAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HttpError(502, 'query_failed', "The satellite's answer is not JSON.", {
      cause: error,
    });
  }
}
