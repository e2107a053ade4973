/**
 * Logs of a service of the shop: JSON lines on standard output, and the same to Loki, as a log shipper would send them.
 */

type Level = 'info' | 'warn' | 'error';

const PUSH_MS = 500;
/** Lines kept while Loki is away; the oldest are dropped first. */
const MAX_KEPT = 2_000;

export interface ShopLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** @param lokiUrl where lines are pushed; undefined without Loki */
export function createShopLog(service: string, lokiUrl: string | undefined): ShopLog {
  let waiting: { level: Level; at: string; message: string }[] = [];
  let last = 0n;
  const write = (level: Level, message: string): void => {
    const now = Date.now();
    console.log(JSON.stringify({ time: new Date(now).toISOString(), level, service, message }));
    if (lokiUrl === undefined) return;
    // Loki drops a line with the same time and text as another.
    const at = BigInt(now) * 1_000_000n;
    last = at > last ? at : last + 1n;
    waiting.push({ level, at: String(last), message });
    if (waiting.length > MAX_KEPT) waiting = waiting.slice(-MAX_KEPT);
  };

  const push = async (): Promise<void> => {
    const lines = waiting;
    if (lines.length === 0) return;
    waiting = [];
    const streams = (['info', 'warn', 'error'] as const).map((level) => ({
      stream: { service, level, job: 'shop' },
      values: lines.filter((line) => line.level === level).map(({ at, message }) => [at, message]),
    }));
    try {
      const response = await fetch(`${lokiUrl}/loki/api/v1/push`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ streams: streams.filter(({ values }) => values.length > 0) }),
        signal: AbortSignal.timeout(5_000),
      });
      await response.arrayBuffer();
      // Loki would refuse it again.
      if (response.status >= 500) throw new Error(`Loki answered ${response.status}`);
    } catch {
      waiting = [...lines, ...waiting].slice(-MAX_KEPT);
    }
  };
  const pushing = async (): Promise<void> => {
    await push();
    setTimeout(() => void pushing(), PUSH_MS).unref();
  };
  if (lokiUrl !== undefined) void pushing();

  return {
    info: (message) => write('info', message),
    warn: (message) => write('warn', message),
    error: (message) => write('error', message),
  };
}
