import type { Readable } from 'node:stream';

const WINDOW_MS = 1_000;

/** Reads a stream no faster than given: its writer has to wait, and reading it costs us little. */
export function slowed(stream: Readable, bytesPerSecond: number, take: (chunk: Buffer) => void): void {
  let since = -Infinity;
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    const now = performance.now();
    if (now - since >= WINDOW_MS) {
      since = now;
      bytes = 0;
    }
    bytes += chunk.length;
    take(chunk);
    if (bytes <= bytesPerSecond) return;
    stream.pause();
    setTimeout(
      () => {
        since = -Infinity;
        stream.resume();
      },
      since + WINDOW_MS - now,
    ).unref();
  });
}
