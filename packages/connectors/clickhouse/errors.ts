import { QueryError } from '../connector.ts';

/** ClickHouse's own numbers (src/Common/ErrorCodes.cpp) of what is not the asker's fault, or has a code of its own. */
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

/** @returns the server's error, from the text that it sends: `Code: 62. DB::Exception: …` */
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
  // The client takes the server's text apart when it knows its form, and leaves it as it is when it does not.
  const served =
    typeof code === 'string' && /^\d+$/u.test(code)
      ? exceptionOf(`Code: ${code}. DB::Exception: ${error.message}`)
      : exceptionOf(error.message);
  const words = [typeof code === 'string' ? code : '', error.message].filter(Boolean).join(' ');
  return served ?? new QueryError('failed', `No answer of ClickHouse: ${words}`, { cause: error });
}
