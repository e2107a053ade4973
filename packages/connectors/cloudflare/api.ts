import { z } from 'zod';
import { QueryError, type OperationContext } from '../connector.ts';
import { parseAnswer } from '../shared/http-api/answers.ts';
import type { HttpApi, Query } from '../shared/http-api/index.ts';

const errors = z.array(z.looseObject({ code: z.number().optional(), message: z.string() })).nullish();
const envelope = z.object({
  success: z.boolean(),
  errors,
  result: z.unknown(),
  result_info: z.looseObject({ total_pages: z.number().optional() }).nullish(),
});
const graphqlEnvelope = z.object({ data: z.unknown(), errors });

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

/** The words of an error response, with Cloudflare's codes. */
export function errorWords(body: string): string | undefined {
  try {
    const parsed = envelope.safeParse(JSON.parse(body));
    return parsed.success ? said(parsed.data.errors) : undefined;
  } catch {
    return undefined;
  }
}

const said = (found: z.output<typeof errors>): string =>
  (found ?? [])
    .map(({ code, message }) => (code === undefined ? message : `${message} (${code})`))
    .join('; ')
    .slice(0, 1_000);

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

  /** One page of a list, or one thing. @throws {QueryError} with Cloudflare's words */
  async get<Schema extends z.ZodType>(
    path: readonly string[],
    query: Query,
    schema: Schema,
    context: OperationContext,
  ): Promise<{ result: z.output<Schema>; pages: number }> {
    const reply = parseAnswer(envelope, await this.#http.json({ path, query }, context), this.#http.place);
    if (!reply.success) throw new QueryError('failed', `Cloudflare: ${said(reply.errors)}`);
    return { result: parseAnswer(schema, reply.result, this.#http.place), pages: reply.result_info?.total_pages ?? 1 };
  }

  /** @throws {QueryError} with Cloudflare's words */
  async graphql<Schema extends z.ZodType>(
    query: string,
    variables: Record<string, unknown>,
    schema: Schema,
    context: OperationContext,
  ): Promise<z.output<Schema>> {
    const reply = await this.#http.json({ path: ['graphql'], body: { query, variables } }, context);
    const { data, errors: found } = parseAnswer(graphqlEnvelope, reply, this.#http.place);
    if (found?.length) throw new QueryError('bad_request', `Cloudflare: ${said(found)}`);
    return parseAnswer(schema, data, this.#http.place);
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
    const { result } = await this.get(['zones'], { ...account, name: zone }, z.array(zoneRow), context);
    const found = result.find(({ name }) => name === zone);
    if (!found) throw new QueryError('not_found', `The token sees no zone ${JSON.stringify(zone)}; zones lists them.`);
    return found.id;
  }
}
