/** An integration as a telemetry source: its id, and the parts of the port that its connector has operations for. */
import { QueryError, type ConnectorOperation } from '@casebook/connectors';
import { MAX_ANSWER_BYTES } from '@casebook/wire';
import { z } from 'zod';
import { messageOf } from '../../platform/message-of.ts';
import { SecretError } from '../../platform/secrets.ts';
import { uuidOf } from '../../platform/uuid.ts';
import {
  SourceError,
  type Change,
  type SourceCall,
  type SourceCapability,
  type TelemetrySource,
} from '../sources/index.ts';
import type { Integration } from './entities.ts';
import { families, isCodeHost } from './families.ts';
import type { SystemDeps } from './systems.ts';

/** Prefix of the ids: `integration:orders-db`. */
const PREFIX = 'integration:';

const QUERY_MS = 30_000;

const change = z.object({
  id: z.string(),
  at: z.number(),
  kind: z.string(),
  summary: z.string(),
  service: z.string().optional(),
  commit: z.string().optional(),
  author: z.string().optional(),
  url: z.string().optional(),
});
const line = z.object({ at: z.number(), service: z.string(), message: z.string(), level: z.string().optional() });

/** What a connector offers beside tools, by the operation that says so. */
const BY_OPERATION: Readonly<Record<string, SourceCapability>> = {
  services: 'services',
  search_logs: 'logs',
  changes: 'changes',
};
const SQL: ReadonlySet<string> = new Set(['postgresql', 'clickhouse']);

/** @param operations what its connector, or its server's tools, can be asked */
export function capabilitiesOf(
  { family }: Pick<Integration, 'family'>,
  operations: readonly Pick<ConnectorOperation, 'name' | 'tool'>[],
): SourceCapability[] {
  const { kind } = families[family];
  const parts = operations.flatMap(({ name, tool }) => (tool ? [] : (BY_OPERATION[name] ?? [])));
  return [...parts, ...(SQL.has(kind) ? (['sql'] as const) : []), ...(isCodeHost(family) ? [] : (['tools'] as const))];
}

/** @param operations none if the integration cannot be opened */
export function sourceOf(
  { connections, fresh, used, otherChanges }: Pick<SystemDeps, 'connections' | 'fresh' | 'used' | 'otherChanges'>,
  row: Integration,
  operations: readonly ConnectorOperation[],
  { toolCallId, isGivenUp, onWait }: SourceCall,
): TelemetrySource {
  const id = `${PREFIX}${row.slug}`;
  const { kind, vendor } = families[row.family];
  const capabilities = capabilitiesOf(row, operations);
  let asked = 0;
  const ask = async <Schema extends z.ZodType>(
    operation: string,
    parameters: Record<string, unknown>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> => {
    const timeout = AbortSignal.timeout(QUERY_MS);
    // Derived, so that another attempt at the tool call finds the answer that a satellite has sent already.
    const requestId = uuidOf(JSON.stringify([toolCallId, id, operation, parameters, asked++]));
    try {
      const answer = await connections.call(await fresh(row), operation, parameters, {
        signal: AbortSignal.any([signal, timeout]),
        maxBytes: MAX_ANSWER_BYTES,
        remainingMs: QUERY_MS,
        call: { requestId, isGivenUp, onWait },
      });
      used(row);
      return schema.parse(answer);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof QueryError || error instanceof SecretError)
        throw new SourceError(`${row.name}: ${messageOf(error)}`, { cause: error });
      if (timeout.aborted) throw new SourceError(`${row.name} did not answer within ${QUERY_MS / 1_000} s.`);
      if (error instanceof z.ZodError) throw new SourceError(`${row.name} answered ${operation} in an unknown form.`);
      throw error;
    }
  };
  const has = (operation: string): boolean => operations.some(({ name }) => name === operation);

  return {
    id,
    owner: 'team',
    kind,
    capabilities,
    // Nothing is asked: a list of sources must not wait for each vendor. Health checks say what fails.
    describe: async () => {
      if (row.status !== 'connected') throw new SourceError(`${row.name}: ${row.error ?? 'it is not connected'}`);
      return { id, kind, title: titleOf(row.name, vendor), capabilities, alerts: [] };
    },
    ...(has('services') && {
      services: async ({ signal }) => {
        const names = await ask('services', {}, z.array(z.object({ name: z.string() })), signal);
        return names.map(({ name }) => ({ name, metrics: 0 }));
      },
    }),
    ...(has('search_logs') && {
      searchLogs: ({ from, to, service, text, level, limit }, { signal }) =>
        ask(
          'search_logs',
          { from, to, limit, ...(service && { service }), ...(text && { text }), ...(level && { level }) },
          z.object({ lines: z.array(line), truncated: z.boolean() }),
          signal,
        ),
    }),
    ...(has('changes') && {
      changes: async ({ from, to, service }, { signal }) => {
        const { changes } = await ask('changes', { from, to }, z.object({ changes: z.array(change) }), signal);
        const own =
          service === undefined
            ? changes
            : changes.filter((one) => one.service === undefined || one.service === service);
        return withOthers(own, await otherChanges(row, { from, to, service }, signal));
      },
    }),
  };
}

/** A merged request and the commit that came of it are one change. */
function withOthers(own: readonly Change[], others: readonly Change[]): Change[] {
  const merged = new Set(own.flatMap(({ kind, commit }) => (kind === 'merge' ? (commit ?? []) : [])));
  return [...own, ...others.filter(({ commit }) => commit === undefined || !merged.has(commit))];
}

const titleOf = (name: string, vendor: string): string => (name === vendor ? vendor : `${name} (${vendor})`);
