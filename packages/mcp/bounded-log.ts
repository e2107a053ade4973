import type { Log } from './settings.ts';

const MAX_CHARACTERS = 2_000;
const MAX_LINES = 200;
const WINDOW_MS = 60_000;

/**
 * Logs what a server makes us write (its standard error, its mistakes) at debug level, with a limit of lines per
 * minute.
 * @returns logs one line
 */
export function createBoundedLog(log: Log, server: string, message: string): (line: string) => void {
  let since = -Infinity;
  let lines = 0;
  return (line) => {
    const now = performance.now();
    if (now - since >= WINDOW_MS) {
      if (lines > MAX_LINES) log.debug({ server, lines: lines - MAX_LINES }, 'lines of an MCP server were dropped');
      since = now;
      lines = 0;
    }
    lines += 1;
    if (lines <= MAX_LINES) log.debug({ server, line: line.slice(0, MAX_CHARACTERS) }, message);
  };
}
