/** Reads and deletes the registrations of satellites, and queries satellites on behalf of programs. */
import type { EntityManager } from '../../db/orm.ts';
import { requireOneOf, type Principal } from '../../http/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import { SatelliteCallError, type SatelliteAnswer, type SatelliteCalls } from './calls/port.ts';
import { Satellite } from './entities.ts';
import { asHttpError, noSatelliteOffers, wrongTeam, satelliteNotFound, severalSatellitesOffer } from './errors.ts';
import { removeGraph } from './graph/index.ts';
import { routeOf, statusOf, type SatelliteStatus } from './liveness.ts';
import type { McpTool, RequestTarget } from '@casebook/wire';

/** @throws {Forbidden} `wrong_team` unless the key belongs to this team */
export function requireTeam({ teamId }: Principal, wanted: string): void {
  if (wanted.toLowerCase() !== teamId) throw wrongTeam();
}

/** The team's satellites by name, optionally only those with one status. */
export async function listSatellites(
  em: EntityManager,
  now: Date,
  status?: SatelliteStatus | null,
): Promise<Satellite[]> {
  const all = await em.find(Satellite, {}, { orderBy: { name: 'asc' } });
  return status == null ? all : all.filter((satellite) => statusOf(satellite, now) === status);
}

/** @throws {NotFound} */
export async function findSatellite(em: EntityManager, id: string): Promise<Satellite> {
  const satellite = await em.findOne(Satellite, { id });
  if (!satellite) throw satelliteNotFound();
  return satellite;
}

/**
 * Deletes a registration, and the graph with it.
 * @throws {NotFound}
 */
export async function deleteSatellite(em: EntityManager, id: string): Promise<void> {
  await em.transactional(async (tx) => {
    if ((await tx.nativeDelete(Satellite, { id })) === 0) throw satelliteNotFound();
    await removeGraph(tx, id);
  });
}

/** @throws {NotFound} */
export async function clustersOf(em: EntityManager, id: string): Promise<Satellite['clusters']> {
  const satellite = await em.findOne(Satellite, { id }, { populate: ['clusters'] });
  if (!satellite) throw satelliteNotFound();
  return satellite.clusters;
}

/** Every MCP tool of the team's satellites, with whether its satellite is connected. */
export async function listTools(
  em: EntityManager,
  now: Date,
): Promise<{ tools: { tool: McpTool; satellite: Satellite; available: boolean }[]; omitted: number }> {
  const satellites = await em.find(Satellite, {}, { orderBy: { name: 'asc' }, populate: ['inventory'] });
  return {
    tools: satellites.flatMap((satellite) => {
      const available = routeOf(satellite, now) !== undefined;
      return satellite.inventory.tools.map((tool) => ({ tool, satellite, available }));
    }),
    omitted: satellites.reduce((sum, { summary }) => sum + summary.omittedTools, 0),
  };
}

export interface Question {
  /** By default, whichever satellite has the target. */
  satelliteId?: string | null;
  target: RequestTarget;
  timeoutSeconds: number;
}

/**
 * Queries a satellite.
 * @throws {HttpError} for every reason why it cannot answer
 */
export async function askSatellite(
  deps: { calls: SatelliteCalls; clock: Clock },
  em: EntityManager,
  principal: Principal,
  { satelliteId, target, timeoutSeconds }: Question,
  signal: AbortSignal,
): Promise<{ satellite: Satellite; answer: SatelliteAnswer }> {
  const satellite =
    satelliteId == null ? await theOneWith(em, target, deps.clock.now()) : await findSatellite(em, satelliteId);
  const acts = target.kind === 'mcp' && !(await isReadOnly(em, satellite, target));
  if (acts) requireOneOf(principal, 'satellites:act');
  const call = { teamId: principal.teamId, satelliteId: satellite.id, target, timeoutMs: timeoutSeconds * 1_000, acts };
  try {
    return { satellite, answer: await deps.calls.ask(call, signal) };
  } catch (error) {
    if (error instanceof SatelliteCallError)
      throw asHttpError(error, target.kind === 'mcp' ? 'arguments' : 'parameters');
    throw error;
  }
}

/** If several satellites have the target, connected ones are preferred. */
async function theOneWith(em: EntityManager, target: RequestTarget, now: Date): Promise<Satellite> {
  const what = target.kind === 'mcp' ? `an MCP server "${target.server}"` : `a connector "${target.connector}"`;
  const having = (await em.find(Satellite, {}, { orderBy: { name: 'asc' } })).filter(({ summary, health }) =>
    target.kind === 'mcp'
      ? summary.servers.includes(target.server) || health.some(({ of, id }) => of === 'mcp' && id === target.server)
      : summary.connectors.some(({ id }) => id === target.connector),
  );
  const connected = having.filter((satellite) => routeOf(satellite, now));
  const candidates = connected.length > 0 ? connected : having;
  const [satellite, ...others] = candidates;
  if (!satellite) throw noSatelliteOffers(what);
  if (others.length > 0)
    throw severalSatellitesOffer(
      what,
      candidates.map(({ name }) => name),
    );
  return satellite;
}

/** A tool that is not known to be read-only may change anything. */
async function isReadOnly(
  em: EntityManager,
  satellite: Satellite,
  { server, tool }: Extract<RequestTarget, { kind: 'mcp' }>,
): Promise<boolean> {
  await em.populate(satellite, ['inventory']);
  const known = satellite.inventory.tools.find((each) => each.server === server && each.name === tool);
  return known?.readOnly ?? false;
}
