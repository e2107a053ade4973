/** A satellite as its operator runs it, in front of a Prometheus, beside a stack. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Stack } from './stack.ts';

export interface RealSatellite {
  id: string;
  teamId: string;
  /** Removes its configuration; the process ends with the stack. */
  remove(): Promise<void>;
}

/** Starts `satellite/main.ts` with one connector, `prometheus`, and waits until the API says that it is online. */
export async function startRealSatellite(stack: Stack, prometheusUrl: string): Promise<RealSatellite> {
  const { id: teamId } = await stack.call<{ id: string }>('GET', '/api/team');
  const { token } = await stack.call<{ token: string }>('POST', '/api/satellite-tokens', { name: 'bench' });
  const folder = await mkdtemp(join(tmpdir(), 'casebook-bench-satellite-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, 'satellite.yaml');
    const connectors = [{ id: 'prometheus', kind: 'prometheus', url: prometheusUrl }];
    await writeFile(file, stringify({ casebook: { url: stack.apiUrl, token }, name: 'bench', connectors }));
    type List = { satellites: { id: string; status: string }[] };
    const list = (): Promise<List> => stack.call('GET', `/satellite/list?team_id=${teamId}&status=online`);
    await stack.start({
      name: 'satellite',
      program: 'satellite/main.ts',
      args: [file],
      env: { CASEBOOK_URL: stack.apiUrl, CASEBOOK_SATELLITE_TOKEN: token },
      ready: async () => (await list()).satellites.length === 1,
    });
    const [satellite] = (await list()).satellites;
    return { id: satellite!.id, teamId, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
