/** Maximum length of a decoded line, in bytes. */
const MAX_LINE_BYTES = 256 * 1024;

/**
 * Splits a byte stream into lines of UTF-8 text without ever holding more than one line of at most
 * {@link MAX_LINE_BYTES}; a longer line is skipped and yielded as undefined.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = () => {
    const line = length > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    while (start < chunk.length) {
      const newline = chunk.indexOf(0x0a, start);
      const end = newline === -1 ? chunk.length : newline;
      length += end - start;
      if (length <= MAX_LINE_BYTES) parts.push(chunk.subarray(start, end));
      else parts = [];
      if (newline === -1) break;
      yield take();
      start = newline + 1;
    }
  }
  if (length > 0) yield take();
}
