/** `--check`: probes every system once and reports its health. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Health } from '@casebook/wire';
import type { SatelliteConfig } from './config/index.ts';
import { checkOnce, reasonOf } from './connection/index.ts';
import { connectAll } from './queries/index.ts';
import type { Log } from './log.ts';
import { startMcpServers } from './mcp-servers.ts';
import { createRedactor } from './redaction/index.ts';

const TIMEOUT_MS = 15_000;
const POLL_MS = 50;

/** @returns a table for people, and whether every system answers */
export async function checkSystems(
  config: SatelliteConfig,
  { version, log }: { version: string; log: Log },
): Promise<{ table: string; ok: boolean }> {
  const redactor = createRedactor(config.redaction);
  const connectors = connectAll(config, log);
  const mcp = startMcpServers(config, { version, log });
  try {
    const ofConnectors = connectors.map(async ({ connector }) => {
      const problem = await checkOnce(connector, TIMEOUT_MS).then(
        () => undefined,
        (error: unknown) => reasonOf(error, redactor),
      );
      return [connector.id, connector.kind, problem ?? 'ok'];
    });
    const rows = await Promise.all(ofConnectors);
    for (const { id, status, message } of await settledHealth(() => mcp.health()))
      rows.push([id, 'mcp', status === 'ok' ? 'ok' : redactor.text(message ?? 'it did not answer in time')]);
    return { table: tableOf([['ID', 'KIND', 'STATUS'], ...rows]), ok: rows.every(([, , status]) => status === 'ok') };
  } finally {
    await Promise.all([...connectors.map(({ connector }) => connector.close()), mcp.close()]);
  }
}

/** Waits until every health is known or the timeout passes. */
async function settledHealth(health: () => Health[]): Promise<Health[]> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline && health().some(({ status }) => status === 'unknown')) await sleep(POLL_MS);
  return health();
}

function tableOf(rows: readonly string[][]): string {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [width(0), width(1)];
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')).join('\n');
}
