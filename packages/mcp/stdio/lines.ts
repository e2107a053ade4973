/** Splits a stream of bytes into lines: an overlong line costs no memory beyond the limit. */

const NEWLINE = 10;
/** Bytes kept of both ends of an overlong line. */
const KEPT = 512;

interface LineSink {
  line(text: string): void;
  /** An overlong line has ended; its first and last bytes as text. */
  tooLong(head: string, tail: string): void;
}

/** @returns a function that takes the bytes as they arrive, in chunks of any size */
export function createLineReader(maxBytes: number, sink: LineSink): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let size = 0;
  let head: Buffer | undefined;
  let tail: Buffer = Buffer.alloc(0);

  const add = (piece: Buffer): void => {
    size += piece.length;
    if (head === undefined && size <= maxBytes) {
      pieces.push(piece);
      return;
    }
    if (head === undefined) {
      const soFar = Buffer.concat([...pieces, piece]);
      head = Buffer.from(soFar.subarray(0, KEPT));
      tail = Buffer.from(soFar.subarray(-KEPT));
      pieces = [];
      return;
    }
    tail = Buffer.from(Buffer.concat([tail, piece.subarray(-KEPT)]).subarray(-KEPT));
  };

  const finish = (): void => {
    const ended = { pieces, head, tail };
    pieces = [];
    size = 0;
    head = undefined;
    if (ended.head === undefined) sink.line(Buffer.concat(ended.pieces).toString('utf8'));
    else sink.tooLong(ended.head.toString('utf8'), ended.tail.toString('utf8'));
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  };
}
