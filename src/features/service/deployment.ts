import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** What is running, determined once at start-up. */
export interface Deployment {
  version: string;
  /** Git commit; undefined if unknown. */
  revision?: string;
  node: string;
  startedAt: Date;
  environment: string;
  host: string;
}

/**
 * @param options.revision the commit, from the build or the configuration; otherwise the checkout's own, if it is one
 */
export function currentDeployment(options: { environment: string; startedAt: Date; revision?: string }): Deployment {
  const manifest: unknown = JSON.parse(readText('package.json') ?? '{}');
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
  return {
    version,
    revision: options.revision ?? checkedOutRevision(),
    node: process.version,
    startedAt: options.startedAt,
    environment: options.environment,
    host: hostname(),
  };
}

/** The checked-out commit, read from `.git` without starting a process. */
function checkedOutRevision(): string | undefined {
  const head = readText('.git/HEAD')?.trim();
  if (head === undefined) return undefined;
  const ref = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  if (ref === undefined) return /^[0-9a-f]{40,64}$/.test(head) ? head : undefined;
  const packed = new RegExp(`^([0-9a-f]{40,64}) ${RegExp.escape(ref)}$`, 'm').exec(
    readText('.git/packed-refs') ?? '',
  )?.[1];
  return readText(`.git/${ref}`)?.trim() ?? packed;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}
