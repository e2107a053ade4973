import { QueryError } from '../connector.ts';

/**
 * ClickHouse's error codes (src/Common/ErrorCodes.cpp) that are not the caller's fault, or map to a code of their own.
 */
const CODES: Record<number, QueryError['code']> = {
  60: 'not_found',
  81: 'not_found',
  158: 'too_large',
  159: 'timeout',
  160: 'timeout',
  192: 'failed',
  193: 'failed',
  194: 'failed',
  202: 'busy',
  241: 'failed',
  307: 'too_large',
  394: 'timeout',
  396: 'too_large',
  497: 'failed',
  516: 'failed',
};

export const NOT_CLICKHOUSE = 'it does not answer as ClickHouse does';

/** @returns the server's error, from its text: `Code: 62. DB::Exception: …` */
export function exceptionOf(text: string): QueryError | undefined {
  const [, code, words] = /Code: (\d+)[.,]\s(?:e\.displayText\(\) = )?DB::Exception: (.*)/su.exec(text) ?? [];
  if (code === undefined || words === undefined) return undefined;
  const plain = words.replace(/,? e\.what\(\) = .*$/su, '').trim();
  return new QueryError(CODES[Number(code)] ?? 'bad_request', `ClickHouse: ${plain} (code ${code})`);
}

export function asQueryError(error: unknown): QueryError {
  if (error instanceof QueryError) return error;
  if (!(error instanceof Error)) return new QueryError('failed', String(error));
  const code: unknown = Reflect.get(error, 'code');
  // The client parses the server's text if it knows its form, and otherwise leaves it alone.
  const served =
    typeof code === 'string' && /^\d+$/u.test(code)
      ? exceptionOf(`Code: ${code}. DB::Exception: ${error.message}`)
      : exceptionOf(error.message);
  // What some other server said is not repeated: whoever names the host may not be allowed to read it.
  const isNetworks =
    typeof code === 'string' || error.name === 'OutboundError' || error.message.startsWith('it does not answer');
  const words = [typeof code === 'string' ? code : '', isNetworks ? error.message : NOT_CLICKHOUSE]
    .filter(Boolean)
    .join(' ');
  return served ?? new QueryError('failed', `No answer from ClickHouse: ${words}`, { cause: error });
}
