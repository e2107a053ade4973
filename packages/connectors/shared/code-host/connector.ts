/** What the connectors of all code hosts have in common: a test of the connection, and changes of their repositories. */
import pMap from 'p-map';
import { z } from 'zod';
import type { ConnectorKind } from '@casebook/wire';
import {
  defineConnectorKind,
  defineOperation,
  QueryError,
  TEST_CONNECTION,
  type ConnectionTest,
  type ConnectorKindDefinition,
  type ConnectorOperation,
  type Log,
  type Network,
} from '../../connector.ts';
import { CodeHostError, type CodeHost, type CodeHostKind, type HostCall, type HostRepository } from './port.ts';

/** Repositories that are asked for changes, those changed last first. */
const MAX_REPOSITORIES = 100;
/** Repositories among which a service is looked for. */
const MAX_LISTED = 2_000;
const CONCURRENCY = 6;
const MAX_SHOWN = 20;
const MAX_SUMMARY = 300;

const VENDORS: Record<CodeHostKind, string> = { github: 'GitHub', gitlab: 'GitLab', gitea: 'Gitea' };

export interface CodeHostOptions {
  network?: Network | undefined;
  log?: Log;
  /** Unix ms; the system's clock by default. */
  now?: () => number;
}

export interface CodeHostKindDefinition<Config = unknown> extends ConnectorKindDefinition<Config> {
  /** @throws ZodError when the configuration is not one of this kind */
  open(config: unknown, options: CodeHostOptions): CodeHost;
}

/**
 * Makes a driver a kind of connector.
 * @param definition.credential the setting at fault when the host does not accept the credential
 */
export function defineCodeHostKind<Config>(definition: {
  kind: Extract<CodeHostKind, ConnectorKind>;
  config: z.ZodType<Config>;
  open: (config: Config, options: CodeHostOptions) => CodeHost;
  credential?: (config: Config) => string;
}): CodeHostKindDefinition<Config> {
  const { kind, config: schema, open, credential = () => 'token' } = definition;
  const connector = defineConnectorKind<Config>({
    kind,
    config: schema,
    create(config, { id, title, ...options }) {
      const host = open(config, options);
      const test = (signal: AbortSignal) => testConnection(host, credential(config), signal);
      return {
        id,
        kind,
        title,
        operations: operationsOn(host, test),
        async check(signal) {
          const { status, message } = await test(signal);
          if (status !== 'ok') throw new QueryError('failed', message);
        },
        close: () => Promise.resolve(),
      };
    },
  });
  return { ...connector, open: (config, options) => open(schema.parse(config), options) };
}

const seconds = z.number().min(0).max(1e11);
const changesQuery = z.strictObject({
  from: seconds.describe('Start of the window, unix seconds.'),
  to: seconds.describe('End of the window (exclusive), unix seconds.'),
  service: z.string().trim().min(1).max(300).optional(),
  limit: z.number().int().min(1).max(1_000).default(200),
});

function operationsOn(host: CodeHost, test: (signal: AbortSignal) => Promise<ConnectionTest>): ConnectorOperation[] {
  return [
    defineOperation({
      name: TEST_CONNECTION,
      description: 'Whether the credential works, and which repositories it sees.',
      parameters: z.strictObject({}),
      tool: false,
      run: (_parameters, { signal }) => test(signal),
    }),
    defineOperation({
      name: 'changes',
      description:
        'Merged requests, releases and deployments of the repositories, in order of time, the newest if there are too many. A service is a repository by its name.',
      parameters: changesQuery,
      tool: false,
      run: (query, { signal }) => changesIn(host, query, { signal }),
    }),
  ];
}

async function testConnection(host: CodeHost, credential: string, signal: AbortSignal): Promise<ConnectionTest> {
  const began = performance.now();
  const vendor = VENDORS[host.kind];
  const result = (test: Pick<ConnectionTest, 'status' | 'message'> & Partial<ConnectionTest>): ConnectionTest => ({
    latencyMs: performance.now() - began,
    warnings: [],
    resources: [],
    ...test,
  });
  try {
    const { login, version, warnings } = await host.account({ signal });
    const { repositories } = await listed(host, MAX_SHOWN, { signal });
    if (repositories.length === 0) warnings.push('The credential sees no repository.');
    return result({
      status: 'ok',
      message: `Connected to ${vendor} as ${login}.`,
      ...(version !== undefined && { version }),
      warnings,
      resources: repositories.map(({ id, fullName }) => ({ id, name: fullName })),
    });
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    const { reason, message } = error;
    if (reason === 'unauthorized' || reason === 'forbidden')
      return result({ status: 'refused', field: credential, message });
    const isOther = reason === 'not_found' || reason === 'invalid';
    return result({ status: 'unreachable', message, ...(isOther && { field: 'url' }) });
  }
}

/** The first repositories that are wanted, and whether there may be more. */
async function listed(
  host: CodeHost,
  most: number,
  call: HostCall,
  isWanted: (repository: HostRepository) => boolean = () => true,
): Promise<{ repositories: HostRepository[]; isWhole: boolean }> {
  const repositories: HostRepository[] = [];
  let read = 0;
  for await (const repository of host.repositories(call)) {
    if (repositories.length >= most || read >= MAX_LISTED) return { repositories, isWhole: false };
    read += 1;
    if (isWanted(repository)) repositories.push(repository);
  }
  return { repositories, isWhole: true };
}

const nameOf = ({ fullName }: HostRepository): string => fullName.slice(fullName.lastIndexOf('/') + 1);

async function changesIn(host: CodeHost, query: z.output<typeof changesQuery>, call: HostCall) {
  const { service, limit } = query;
  const isWanted = (repository: HostRepository): boolean => service === undefined || nameOf(repository) === service;
  const { repositories, isWhole } = await listed(host, MAX_REPOSITORIES, call, isWanted);
  const found = await pMap(repositories, (repository) => changesOf(host, repository, query, call), {
    concurrency: CONCURRENCY,
    signal: call.signal,
  });
  const changes = found.flatMap((each) => each ?? []).toSorted((a, b) => a.at - b.at);
  const truncated = !isWhole || found.includes(undefined) || changes.length > limit;
  return { changes: changes.slice(-limit), truncated };
}

/** @returns undefined for a repository that was deleted meanwhile, or whose changes the credential may not read */
async function changesOf(
  host: CodeHost,
  repository: HostRepository,
  window: { from: number; to: number },
  call: HostCall,
) {
  try {
    const changes = await host.changes(repository.fullName, { from: window.from, to: window.to }, call);
    return changes.map(({ id, at, kind, summary, commit, author, url }) => ({
      id: `${repository.fullName}:${id}`,
      at,
      kind,
      service: nameOf(repository),
      summary: summary.replaceAll(/\s+/gu, ' ').trim().slice(0, MAX_SUMMARY),
      ...(commit !== undefined && { commit }),
      ...(author !== undefined && { author }),
      ...(url !== undefined && { url }),
    }));
  } catch (error) {
    if (error instanceof CodeHostError && (error.reason === 'not_found' || error.reason === 'forbidden'))
      return undefined;
    throw error;
  }
}
