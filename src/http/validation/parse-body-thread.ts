/** Parses bodies in a thread of its own. */
import { parseBody, type ParsedBody, type ParseOptions } from './parse-body.ts';

export interface ParseTask {
  bytes: Uint8Array;
  options: ParseOptions;
}

export default function parse({ bytes, options }: ParseTask): ParsedBody {
  return parseBody(bytes, options);
}
