import type { Transport } from '@casebook/connectors';
import { z } from 'zod';
import type { SourceCapability, SourceOwner, TelemetrySource } from '../port.ts';
import { askSystem } from '../transport.ts';
import { tracesOver } from './spans.ts';

const NAMES = { jaeger: 'Jaeger', tempo: 'Tempo' } as const;
const capabilities: SourceCapability[] = ['services', 'traces'];

/** A telemetry source over a system that stores traces, over any transport. */
export function createTraceSource(options: {
  kind: keyof typeof NAMES;
  transport: Transport;
  id?: string;
  owner?: SourceOwner;
}): TelemetrySource {
  const { kind, transport, id = kind, owner = 'installation' } = options;
  const ask = <Schema extends z.ZodType>(
    operation: string,
    parameters: Record<string, unknown>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> => askSystem({ name: NAMES[kind], transport }, operation, parameters, schema, signal);
  const names = (signal: AbortSignal): Promise<string[]> => ask('traced_services', {}, z.array(z.string()), signal);

  return {
    id,
    owner,
    kind,
    capabilities,
    describe: async ({ signal }) => {
      await names(signal);
      return { id, kind, title: `${NAMES[kind]} at ${transport.place}`, capabilities, alerts: [] };
    },
    services: async ({ signal }) => (await names(signal)).map((name) => ({ name, metrics: 0 })),
    ...tracesOver(ask),
  };
}
