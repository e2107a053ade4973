/** Tests the connection to a project: the credential, the project, and each service that the operations ask. */
import { z } from 'zod';
import {
  connectionTest,
  defineOperation,
  QueryError,
  TEST_CONNECTION,
  type ConnectionTest,
  type ConnectorOperation,
  type OperationContext,
} from '../connector.ts';
import { TokenRefused } from '../shared/access-tokens.ts';
import { parseAnswer } from '../shared/http-api/answers.ts';
import { toRfc3339 } from '../shared/http-api/parameters.ts';
import type { GoogleCloud } from './cloud.ts';
import { causeOf } from './errors.ts';
import { quote } from './filter.ts';
import { SERVICES, type GoogleService } from './services.ts';

/** How far back a probe looks: it asks for permission, not for data. */
const PROBED_SECONDS = 300;
const MAX_PROBE_BYTES = 1024 * 1024;

const project = z.object({ projectId: z.string(), displayName: z.string().default(''), state: z.string().optional() });

type Request = Parameters<GoogleCloud['json']>[1];

/** The cheapest request to each service, in the order in which a check tries them. */
function probes({ project: id, now }: GoogleCloud): [GoogleService, Request][] {
  const end = now() / 1000;
  const start = toRfc3339(end - PROBED_SECONDS);
  const entries = {
    resourceNames: [`projects/${id}`],
    filter: `timestamp >= ${quote(start)}`,
    pageSize: 1,
  };
  return [
    ['monitoring', { path: ['v3', 'projects', id, 'metricDescriptors'], query: { pageSize: 1 } }],
    ['logging', { path: ['v2', 'entries:list'], body: entries }],
    [
      'cloudtrace',
      { path: ['v1', 'projects', id, 'traces'], query: { startTime: start, endTime: toRfc3339(end), pageSize: 1 } },
    ],
    [
      'clouderrorreporting',
      {
        path: ['v1beta1', 'projects', id, 'groupStats'],
        query: { 'timeRange.period': 'PERIOD_1_HOUR', pageSize: 1 },
      },
    ],
  ];
}

/** Asks one service after the other until one answers. @throws the first one's error when none does */
export async function checkProject(cloud: GoogleCloud, signal: AbortSignal): Promise<void> {
  const errors: unknown[] = [];
  for (const [service, request] of probes(cloud)) {
    try {
      await probe(cloud, service, request, signal);
      return;
    } catch (error) {
      if (signal.aborted || error instanceof TokenRefused || causeOf(error) === 'credential') throw error;
      errors.push(error);
    }
  }
  throw errors[0];
}

export function connectionOperation(cloud: GoogleCloud): ConnectorOperation {
  return defineOperation({
    name: TEST_CONNECTION,
    description: 'Whether the credential is accepted, and which services it may read.',
    tool: false,
    parameters: z.strictObject({}),
    async run(_, { signal }: OperationContext) {
      const startedAt = performance.now();
      const found = await testConnection(cloud, signal);
      return connectionTest.parse({ ...found, latencyMs: performance.now() - startedAt });
    },
  });
}

type Found = Pick<ConnectionTest, 'status' | 'field' | 'message'> & Partial<ConnectionTest>;

async function testConnection(cloud: GoogleCloud, signal: AbortSignal): Promise<Found> {
  try {
    await cloud.renewToken(signal);
  } catch (error) {
    return failed(error, error instanceof TokenRefused ? 'refused' : 'unreachable', signal, cloud.credential);
  }
  const named = attempt(readProject(cloud, signal), signal);
  const probed = await Promise.all(
    probes(cloud).map(async ([service, request]) => {
      return [service, await attempt(probe(cloud, service, request, signal), signal)] as const;
    }),
  );
  const read = await named;
  const failures = [...probed.map(([, { error }]) => error), read.error].filter((error) => error !== undefined);
  const [wrong] = failures.filter((error) => error instanceof TokenRefused || causeOf(error) === 'credential');
  if (wrong !== undefined) return failed(wrong, 'refused', signal, cloud.credential);
  const [unknown] = failures.filter((error) => causeOf(error) === 'project');
  if (unknown !== undefined) return failed(unknown, 'refused', signal, 'project_id');

  const refused = probed.filter(([, { error }]) => error !== undefined);
  const problems = refused.map(([, { error }]) => messageOf(error));
  if (refused.length === probed.length) {
    const denied = refused.find(([, { error }]) => causeOf(error) !== undefined);
    return { status: denied ? 'refused' : 'unreachable', message: denied ? problems.join(' ') : problems[0]! };
  }
  const readable = probed.filter(([, { error }]) => error === undefined).map(([service]) => SERVICES[service].title);
  const name = read.answer?.displayName || cloud.project;
  return {
    status: 'ok',
    message: `Project ${name}: ${readable.join(', ')} can be read.`,
    warnings: problems,
    resources: [{ id: cloud.project, name }],
  };
}

async function readProject(cloud: GoogleCloud, signal: AbortSignal): Promise<z.output<typeof project>> {
  const answer = await probe(cloud, 'cloudresourcemanager', { path: ['v3', 'projects', cloud.project] }, signal);
  return parseAnswer(project, answer, cloud.place('cloudresourcemanager'));
}

/** @throws the signal's reason when the caller gives up */
async function attempt<T>(asked: Promise<T>, signal: AbortSignal): Promise<{ answer?: T; error?: unknown }> {
  try {
    return { answer: await asked };
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}

async function probe(
  cloud: GoogleCloud,
  service: GoogleService,
  request: Request,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const answer = await cloud.json(service, request, { signal, maxBytes: MAX_PROBE_BYTES });
    return parseAnswer(z.looseObject({}), answer, cloud.place(service));
  } catch (error) {
    // One metric or trace may be large; it is the service's answer all the same.
    if (error instanceof QueryError && error.code === 'too_large') return {};
    throw error;
  }
}

/** @throws the signal's reason when the caller gave up */
function failed(error: unknown, status: ConnectionTest['status'], signal: AbortSignal, field?: string): Found {
  signal.throwIfAborted();
  return { status, ...(status === 'refused' && { field }), message: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof QueryError ? error.message : 'an unexpected answer';
}
