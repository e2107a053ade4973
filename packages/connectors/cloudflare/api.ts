import { z } from 'zod';
import { QueryError, type OperationContext } from '../connector.ts';
import { parseAnswer } from '../shared/http-api/answers.ts';
import { RefusedRequest, type HttpApi, type Query } from '../shared/http-api/index.ts';

const cause = { code: z.number().optional(), message: z.string() };
const errors = z.array(z.looseObject({ ...cause, error_chain: z.array(z.looseObject(cause)).optional() })).nullish();
const envelope = z.object({
  success: z.boolean(),
  errors,
  result: z.unknown().optional(),
  result_info: z.looseObject({ total_pages: z.number().optional() }).nullish(),
});
const graphqlEnvelope = z.object({ data: z.unknown().optional(), errors });
const refusal = z.object({ errors: errors.unwrap().unwrap().min(1) });

const zoneRow = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string().nullish(),
  paused: z.boolean().nullish(),
  plan: z.object({ name: z.string().nullish() }).nullish(),
});

const MAX_PAGES = 20;
const PAGE = 50;
const ID = /^[0-9a-f]{32}$/u;

/** Zones of smaller plans lack some fields, of which the error names one. */
const LACKED_FIELD = /does not have access to the field '(?<field>\w+)'/iu;
const MAX_LACKED_FIELDS = 12;

/** The words of an error response of either API, with Cloudflare's codes. */
export function errorWords(body: string): string | undefined {
  try {
    const parsed = refusal.safeParse(JSON.parse(body));
    return parsed.success ? said(parsed.data.errors) : undefined;
  } catch {
    return undefined;
  }
}

const said = (found: z.output<typeof errors>): string =>
  (found ?? [])
    .flatMap(({ error_chain: chain = [], ...error }) => [error, ...chain])
    .map(({ code, message }) => (code === undefined ? message : `${message} (${code})`))
    .join('; ')
    .slice(0, 1_000);

/** What an error of GraphQL, which has no code, says about the query. */
function codeOf(words: string): QueryError['code'] {
  if (/rate limiter|too many queries|excessive resources/iu.test(words)) return 'busy';
  if (/not authori[sz]ed|unauthori[sz]ed|authentication error|access to the path|internal server error/iu.test(words))
    return 'failed';
  return 'bad_request';
}

/** @returns the query without a field, however its name is cased */
function withoutField(query: string, field: string): string {
  const fields = query.replaceAll(new RegExp(`(?<![$\\w])${field}(?![\\w:])`, 'giu'), '');
  return fields.replaceAll(/\w+\s*\{\s*\}/gu, '');
}

const needs = (permission: string): string => `; the token needs the permission ${permission}`;

/** Reads from Cloudflare. */
export class Cloudflare {
  readonly #http: HttpApi;
  readonly #account: string | undefined;

  constructor(http: HttpApi, account: string | undefined) {
    this.#http = http;
    this.#account = account;
  }

  get accountId(): string | undefined {
    return this.#account;
  }

  /** @throws {QueryError} without one */
  get account(): string {
    if (this.#account === undefined) throw new QueryError('failed', 'No Cloudflare account is chosen.');
    return this.#account;
  }

  /**
   * One page of a list, or one thing.
   * @param permission what the token needs, for people
   * @throws {QueryError} with Cloudflare's words
   */
  async get<Schema extends z.ZodType>(
    path: readonly string[],
    query: Query,
    schema: Schema,
    context: OperationContext,
    permission?: string,
  ): Promise<{ result: z.output<Schema>; pages: number }> {
    const answer = await this.#allowed(permission, () => this.#http.json({ path, query }, context));
    const reply = parseAnswer(envelope, answer, this.#http.place);
    if (!reply.success) throw new QueryError('failed', `Cloudflare: ${this.#said(reply.errors)}`);
    return { result: parseAnswer(schema, reply.result, this.#http.place), pages: reply.result_info?.total_pages ?? 1 };
  }

  /**
   * Asks again without the fields that the zone's plan lacks.
   * @param permission what the token needs, for people
   * @returns the data, and the names of those fields, in lower case
   * @throws {QueryError} with Cloudflare's words
   */
  async graphql<Schema extends z.ZodType>(
    query: string,
    variables: Record<string, unknown>,
    schema: Schema,
    context: OperationContext,
    permission: string,
  ): Promise<{ data: z.output<Schema>; lacking: string[] }> {
    const lacking: string[] = [];
    for (let asked = query; ;) {
      const body = { query: asked, variables };
      const reply = await this.#allowed(permission, () => this.#http.json({ path: ['graphql'], body }, context));
      const { data, errors: found } = parseAnswer(graphqlEnvelope, reply, this.#http.place);
      if (!found?.length) return { data: parseAnswer(schema, data, this.#http.place), lacking };
      const words = this.#said(found);
      const field = LACKED_FIELD.exec(words)?.groups?.['field'];
      const without = field === undefined ? asked : withoutField(asked, field);
      if (field === undefined || without === asked || lacking.length >= MAX_LACKED_FIELDS) {
        const code = codeOf(words);
        throw new QueryError(code, `Cloudflare: ${words}${code === 'failed' ? needs(permission) : ''}`);
      }
      lacking.push(field);
      asked = without;
    }
  }

  readonly #said = (found: z.output<typeof errors>): string => this.#http.withoutSecrets(said(found));

  /** Adds to a refusal what the token needs. */
  async #allowed<Answer>(permission: string | undefined, ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      if (permission === undefined || !(error instanceof RefusedRequest) || error.status !== 403) throw error;
      throw new QueryError(error.code, `${error.message}${needs(permission)}`, { cause: error });
    }
  }

  async zones(most: number, context: OperationContext) {
    const found: z.output<typeof zoneRow>[] = [];
    const account = this.#account === undefined ? {} : { 'account.id': this.#account };
    for (let page = 1; page <= MAX_PAGES && found.length <= most; page++) {
      const { result, pages } = await this.get(
        ['zones'],
        { ...account, page, per_page: PAGE },
        z.array(zoneRow),
        context,
        'Zone, Read',
      );
      found.push(...result);
      if (page >= pages) break;
    }
    return found.slice(0, most).map(({ plan, ...rest }) => ({ ...rest, plan: plan?.name ?? null }));
  }

  /** The id of a zone, from its name or id. @throws {QueryError} `not_found` */
  async zoneId(zone: string, context: OperationContext): Promise<string> {
    if (ID.test(zone)) return zone;
    const account = this.#account === undefined ? {} : { 'account.id': this.#account };
    const query = { ...account, name: zone };
    const { result } = await this.get(['zones'], query, z.array(zoneRow), context, 'Zone, Read');
    const found = result.find(({ name }) => name === zone);
    if (!found) throw new QueryError('not_found', `The token sees no zone ${JSON.stringify(zone)}; zones lists them.`);
    return found.id;
  }
}
