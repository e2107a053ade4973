/** What satellites offer to a model: one entry for each operation that is a tool, and each MCP tool. */
import { oneLine, theirWords, type Offer } from '../../tools/index.ts';
import type { RequestTarget } from '@casebook/wire';
import type { SatelliteCalls } from '../calls/port.ts';
import { ask } from './ask.ts';
import { sourceIdOf, type KnownSatellite } from './port.ts';

/** Scopes for querying a satellite, and for letting it act. */
const READING = 'satellites:query';
const ACTING = 'satellites:act';

/** An offer of a satellite, before it is known how the satellite is asked. */
export type SatelliteOffer = Omit<Offer, 'run'> & {
  satelliteId: string;
  targetOf(input: Record<string, unknown>): RequestTarget;
};

/** Everything that the satellites offer, by satellite, then connectors before MCP servers, then by name. */
export function offersOf(satellites: readonly KnownSatellite[], calls: SatelliteCalls): Offer[] {
  return [...satellites]
    .sort((a, b) => compare(a.name, b.name))
    .flatMap((satellite) => [...fromConnectors(satellite), ...fromServers(satellite)])
    .map((offer) => ({ ...offer, run: (input, context) => ask(calls, offer, input, context) }));
}

function fromConnectors({ id, name: satellite, inventory }: KnownSatellite): SatelliteOffer[] {
  return inventory.connectors
    .flatMap(({ id: connector, kind, operations }) =>
      operations
        .filter(({ tool }) => tool)
        .map(({ name: operation, description, inputSchema }) => ({
          parts: [satellite, connector, operation],
          satelliteId: id,
          system: satellite,
          source: sourceIdOf(satellite, connector),
          what: `${connector} ${operation}`,
          description: `${operation} of ${connector} (${kind}) through satellite ${satellite}. ${theirWords(description)}`,
          inputSchema,
          readOnly: true,
          requires: READING,
          targetOf: (parameters: Record<string, unknown>) => ({
            kind: 'connector' as const,
            connector,
            operation,
            parameters,
          }),
        })),
    )
    .sort(byParts);
}

function fromServers({ id, name: satellite, inventory }: KnownSatellite): SatelliteOffer[] {
  return inventory.tools
    .map(({ server, name: tool, title, description, inputSchema, readOnly }) => ({
      parts: [satellite, server, tool],
      satelliteId: id,
      system: satellite,
      source: sourceIdOf(satellite, server),
      what: oneLine(`${server} ${tool}`, 100),
      description: `${oneLine(tool, 100)} of the customer's MCP server ${server} through satellite ${satellite}${readOnly ? '' : '; it may change things'}. ${theirWords([title, description].filter(Boolean).join(': '))}`,
      inputSchema,
      readOnly,
      requires: readOnly ? READING : ACTING,
      targetOf: (args: Record<string, unknown>) => ({ kind: 'mcp' as const, server, tool, arguments: args }),
    }))
    .sort(byParts);
}

function byParts(a: SatelliteOffer, b: SatelliteOffer): number {
  return compare(JSON.stringify(a.parts), JSON.stringify(b.parts));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
