import { z } from 'zod';
import { QueryError, type OperationContext } from '../connector.ts';
import { parseAnswer } from '../shared/http-api/answers.ts';
import { RefusedRequest, type HttpApi } from '../shared/http-api/index.ts';

const answer = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(
      z.looseObject({
        message: z.string(),
        extensions: z
          .looseObject({ errorClass: z.string().optional(), error_code: z.string().optional() })
          .nullish()
          .catch(null),
      }),
    )
    .nullish(),
});

const CODES: Readonly<Record<string, QueryError['code']>> = {
  TIMEOUT: 'timeout',
  TOO_MANY_REQUESTS: 'busy',
  SERVER_ERROR: 'failed',
  INTERNAL_SERVER_ERROR: 'failed',
  NOT_FOUND: 'not_found',
};
/** New Relic sends these along with complete data. */
const DEPRECATION = /^This field is deprecated/u;
const MAX_WORDS = 500;

/** The key is not valid, or may not ask this. */
export class KeyRefused extends QueryError {}

/** Sends fixed queries with variables, and turns GraphQL's errors into ours. */
export class NerdGraph {
  readonly #http: HttpApi;
  readonly #account: number | undefined;

  constructor(http: HttpApi, account: number | undefined) {
    this.#http = http;
    this.#account = account;
  }

  /** @throws {QueryError} until an account is chosen */
  get account(): number {
    if (this.#account === undefined) throw new QueryError('failed', 'No New Relic account is chosen.');
    return this.#account;
  }

  get place(): string {
    return this.#http.place;
  }

  /**
   * @returns the data in the form that is expected of it
   * @throws {KeyRefused}, {QueryError}
   */
  async ask<Schema extends z.ZodType>(
    query: string,
    variables: Record<string, unknown>,
    schema: Schema,
    context: OperationContext,
  ): Promise<z.output<Schema>> {
    let reply: unknown;
    try {
      reply = await this.#http.json({ path: ['graphql'], body: { query, variables } }, context);
    } catch (error) {
      if (error instanceof RefusedRequest && (error.status === 401 || error.status === 403))
        throw new KeyRefused('failed', 'New Relic does not accept the key.', { cause: error });
      throw error;
    }
    const { data, errors } = parseAnswer(answer, reply, this.#http.place);
    const error = errors?.find(({ message }) => !DEPRECATION.test(message));
    if (error) {
      const { errorClass = '', error_code } = error.extensions ?? {};
      if (error_code === 'BAD_API_KEY') throw new KeyRefused('failed', 'New Relic does not accept the key.');
      const words = this.#http.withoutSecrets(error.message).slice(0, MAX_WORDS);
      if (errorClass === 'ACCESS_DENIED' || /^(?:unauthori[sz]ed|access denied)/iu.test(words))
        throw new KeyRefused('failed', `New Relic refuses: ${words}`);
      throw new QueryError(CODES[errorClass] ?? 'bad_request', `New Relic: ${words}`);
    }
    return parseAnswer(schema, data, this.#http.place);
  }
}
