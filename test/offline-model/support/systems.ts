/** The tools of connected systems as runs get them, over answers that a test gives or over real connectors. */
import { z } from 'zod';
import { clickhouse, postgresql, QueryError, type Connector, type ConnectorOperation } from '@casebook/connectors';
import {
  connectSystems,
  errorOutput,
  sharedTools,
  type Offer,
  type Tool,
  type ToolOutput,
} from '../../../src/features/tools/index.ts';
import { catalogOf } from '../../support/telemetry-source.ts';

/** One operation: what it returns, or the error that it answers with. */
export type Canned = unknown;

export interface TestSystem {
  name: string;
  kind: string;
  satellite?: string;
  operations: readonly { name: string; description: string; inputSchema: Record<string, unknown>; acts?: boolean }[];
  answer(operation: string, input: Record<string, unknown>): Promise<unknown>;
}

const silent = { debug: () => undefined, warn: () => undefined };

/** The operations of our own connectors, which connect to nothing until they are asked. */
const CONNECTORS: Record<'postgresql' | 'clickhouse', Connector> = {
  postgresql: postgresql.create(postgresql.config.parse({ url: 'postgres://nobody@127.0.0.1:1/none' }), {
    id: 'db',
    title: 'db',
    log: silent,
  }),
  clickhouse: clickhouse.create(clickhouse.config.parse({ url: 'http://127.0.0.1:1' }), {
    id: 'db',
    title: 'db',
    log: silent,
  }),
};

function toolsOf(operations: readonly ConnectorOperation[]): TestSystem['operations'] {
  return operations
    .filter(({ tool }) => tool)
    .map(({ name, description, parameters }) => {
      const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' });
      return { name, description, inputSchema };
    });
}

/** A database with the operations of our connector, and the answers given by operation. */
export function database(
  name: string,
  kind: 'postgresql' | 'clickhouse',
  answers: Record<string, Canned>,
  satellite?: string,
): TestSystem {
  return {
    name,
    kind,
    ...(satellite !== undefined && { satellite }),
    operations: toolsOf(CONNECTORS[kind].operations),
    answer: async (operation) => {
      if (!(operation in answers)) throw new QueryError('failed', `${operation} was not expected`);
      const answer = answers[operation];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

/** A connector that answers for itself. */
export function realSystem(name: string, { kind, operations }: Connector): TestSystem {
  return {
    name,
    kind,
    operations: toolsOf(operations),
    async answer(operation, input) {
      const found = operations.find((one) => one.name === operation)!;
      const context = { signal: AbortSignal.timeout(20_000), maxBytes: 1_000_000 };
      return found.run(found.parameters.parse(input), context);
    },
  };
}

/** A system of any kind; its operations take what their schemas say. */
export function vendor(
  name: string,
  kind: string,
  operations: Record<
    string,
    { description?: string; schema?: Record<string, unknown>; acts?: boolean; answer: Canned }
  >,
): TestSystem {
  return {
    name,
    kind,
    operations: Object.entries(operations).map(([operation, { description = 'Reads.', schema, acts = false }]) => ({
      name: operation,
      description,
      inputSchema: schema ?? { type: 'object', properties: {} },
      acts,
    })),
    answer: async (operation) => operations[operation]?.answer,
  };
}

/** The shared tools and those of the systems: searched for when there are many, as in a run. */
export async function toolsWith(...systems: TestSystem[]): Promise<Tool[]> {
  const offers = systems.flatMap((system) => system.operations.map((operation) => offerOf(system, operation)));
  const load = async () => ({ digest: '', offers: () => offers, instructions: () => undefined, sources: () => [] });
  const reserved = sharedTools.map(({ name }) => name);
  const { tools } = await connectSystems([load], { own: catalogOf(), reserved }).tools('team');
  return [...sharedTools, ...tools];
}

function offerOf(
  { name, kind, satellite, answer }: TestSystem,
  { name: operation, description, inputSchema, acts = false }: TestSystem['operations'][number],
): Offer {
  const via = satellite === undefined ? '' : ` through satellite ${satellite}`;
  return {
    parts: [...(satellite === undefined ? [] : [satellite]), name, operation],
    system: satellite ?? name,
    source: satellite === undefined ? `integration:${name}` : `satellite:${satellite}/${name}`,
    what: operation,
    description: `${operation} of ${name} (${kind})${via}${acts ? '; it may change things' : ''}. ${description}`,
    inputSchema,
    readOnly: !acts,
    run: async (input): Promise<ToolOutput> => {
      try {
        return { content: JSON.stringify(await answer(operation, input)), digest: operation };
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        return errorOutput(`${name}: ${error.message}`, { code: error.code });
      }
    },
  };
}
