import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CONNECT_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;

/** The platform as the releases of Go programs name it, such as `linux-amd64`. */
export function goPlatform(): string {
  const systems: Record<string, string> = { win32: 'windows' };
  const machines: Record<string, string> = { x64: 'amd64', arm: 'armv7', ia32: '386' };
  return `${systems[process.platform] ?? process.platform}-${machines[process.arch] ?? process.arch}`;
}

/**
 * Downloads a file of a release and checks it against the release's SHA-256 sums.
 * @param release URL of the folder of the release's files
 * @returns the path of the file in `folder`
 * @throws why there is no file, immediately if the server is unreachable
 */
export async function downloadRelease(release: string, file: string, sums: string, folder: string): Promise<string> {
  // Small, so it soon shows whether the server is reachable at all.
  const list = (await get(`${release}/${sums}`, CONNECT_TIMEOUT_MS)).toString('utf8');
  const expected = list
    .split('\n')
    .map((line) => /^([0-9a-f]{64})\s+\*?(?:\.\/)?(\S+)$/i.exec(line.trim()))
    .find((found) => found?.[2] === file)?.[1];
  if (!expected) throw new Error(`the release has no ${file}`);
  const content = await get(`${release}/${file}`, DOWNLOAD_TIMEOUT_MS);
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== expected.toLowerCase()) throw new Error(`${file} is not what the release says: its SHA-256 differs`);
  const path = join(folder, file);
  writeFileSync(path, content);
  return path;
}

async function get(url: string, timeoutMs: number): Promise<Buffer> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(
      `${new URL(url).host} cannot be reached (${cause instanceof Error ? cause.message : 'no answer'})`,
      {
        cause: error,
      },
    );
  }
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
