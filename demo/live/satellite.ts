import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ChildSpec } from '../../src/embedded/supervisor.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';
import { callApi, type CasebookAddress } from '../casebook-api.ts';

const TOKEN_NAME = 'live demo shop';
const NAME = 'demo-shop';

const created = z.object({ token: z.string() });
const listed = z.object({
  tokens: z.array(z.object({ id: z.string(), name: z.string(), revoked_at: z.string().nullable() })),
});

const team = z.object({ id: z.string() });
const satellites = z.object({ satellites: z.array(z.object({ name: z.string(), status: z.string() })) });

/** Creates a token for the demo's satellite and revokes those of earlier runs. */
export async function enrolmentToken(casebook: CasebookAddress): Promise<string> {
  const { tokens } = listed.parse(await callApi(casebook, 'GET', '/api/satellite-tokens'));
  for (const { id, name, revoked_at: revokedAt } of tokens) {
    if (name === TOKEN_NAME && revokedAt === null) await callApi(casebook, 'DELETE', `/api/satellite-tokens/${id}`);
  }
  return created.parse(await callApi(casebook, 'POST', '/api/satellite-tokens', { body: { name: TOKEN_NAME } })).token;
}

async function untilOnline(casebook: CasebookAddress, signal: AbortSignal): Promise<void> {
  const { id } = team.parse(await callApi(casebook, 'GET', '/api/team'));
  await waitUntil(
    async () => {
      const list = satellites.parse(await callApi(casebook, 'GET', `/satellite/list?team_id=${id}`));
      return list.satellites.some(({ name, status }) => name === NAME && status === 'online') || undefined;
    },
    { what: 'the connection of the satellite', timeoutMs: 60_000, intervalMs: 250, signal },
  );
}

/**
 * The satellite in the shop's network. Its configuration is written to `HOME/demo/satellite.yaml`, without the token.
 */
export function satelliteProcess(options: {
  home: string;
  casebook: CasebookAddress;
  token: string;
  prometheusUrl: string;
  lokiUrl?: string;
  jaegerUrl?: string;
}): ChildSpec {
  const { home, casebook, token, prometheusUrl, lokiUrl, jaegerUrl } = options;
  const folder = join(home, 'demo');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'satellite.yaml');
  const config = {
    casebook: { url: casebook.apiUrl },
    name: NAME,
    connectors: [
      { id: 'prometheus', kind: 'prometheus', title: 'Metrics of the demo shop', url: prometheusUrl },
      ...(lokiUrl === undefined ? [] : [{ id: 'loki', kind: 'loki', title: 'Logs of the demo shop', url: lokiUrl }]),
      ...(jaegerUrl === undefined
        ? []
        : [{ id: 'jaeger', kind: 'jaeger', title: 'Traces of the demo shop', url: jaegerUrl }]),
    ],
  };
  // JSON is YAML.
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`);
  const program = join(import.meta.dirname, '..', '..', 'satellite', 'main.ts');
  return {
    name: 'satellite',
    marks: [program, file],
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
    command: process.execPath,
    args: ['--enable-source-maps', program, file],
    env: { ...process.env, CASEBOOK_URL: casebook.apiUrl, CASEBOOK_SATELLITE_TOKEN: token },
    ready: (signal) => untilOnline(casebook, signal),
  };
}
