/** Waits for what a monitoring agent does by itself. */
import { waitUntil } from '../../src/embedded/wait-until.ts';
import type { CasebookAddress } from '../casebook-api.ts';
import { readFindings, readSessions, type MonitoringAgent } from './agent.ts';
import { foundSince, openOf, unsettledOf, type Finding } from './finding.ts';
import { learningOf } from './learning.ts';

const LEARNING_TIMEOUT_MS = 240_000;
const FINDING_TIMEOUT_MS = 120_000;
const INVESTIGATION_TIMEOUT_MS = 30_000;
const INTERVAL_MS = 1_000;

/**
 * Waits until all checks of an agent are green, and nothing that it found before can come back under the same name.
 * @param onProgress called with how it stands, in words
 */
export async function untilLearned(
  casebook: CasebookAddress,
  { id, checks }: Pick<MonitoringAgent, 'id' | 'checks'>,
  signal: AbortSignal,
  onProgress: (text: string) => void = () => undefined,
): Promise<void> {
  const names = checks.map((check) => check.id);
  await waitUntil(
    async () => {
      const learning = learningOf(names, await readSessions(casebook, id, signal));
      const findings = await readFindings(casebook, id, signal);
      const [open] = openOf(findings);
      onProgress(open ? open.summary : learning.text);
      return (learning.isDone && unsettledOf(findings).length === 0) || undefined;
    },
    { what: 'green checks of the agent', timeoutMs: LEARNING_TIMEOUT_MS, intervalMs: INTERVAL_MS, signal },
  );
}

export interface FoundByAgent {
  finding: Finding & { openedAt: number; investigationId: string };
  /** Findings that accompany it. */
  others: Finding[];
}

/**
 * Waits until an agent reports a finding, and has opened its investigation.
 * @param faultAt unix milliseconds
 * @param onProgress called with the seconds since the fault
 */
export async function untilFound(
  casebook: CasebookAddress,
  agentId: string,
  faultAt: number,
  signal: AbortSignal,
  onProgress: (seconds: number) => void = () => undefined,
): Promise<FoundByAgent> {
  const read = async () => foundSince(await readFindings(casebook, agentId, signal), faultAt);
  await waitUntil(
    async () => {
      onProgress(Math.round((Date.now() - faultAt) / 1_000));
      return read();
    },
    { what: 'a finding of the agent', timeoutMs: FINDING_TIMEOUT_MS, intervalMs: INTERVAL_MS, signal },
  );
  return waitUntil(
    async () => {
      const found = await read();
      if (!found || found.first.investigationId === null) return undefined;
      return { finding: { ...found.first, investigationId: found.first.investigationId }, others: found.others };
    },
    { what: 'the investigation of the finding', timeoutMs: INVESTIGATION_TIMEOUT_MS, intervalMs: INTERVAL_MS, signal },
  );
}
