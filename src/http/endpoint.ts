import type { Context } from 'koa';
import type { z } from 'zod';
import type { EntityManager } from '../db/orm.ts';
import type { Logger } from '../platform/logger.ts';
import type { ApiKeyAuth, Auth, Principal } from './authenticate.ts';
import type { ContentResponse } from './respond.ts';
import type { ApiDeps } from './deps.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options';

/** Statuses an endpoint may declare beyond those that every endpoint of its kind has (401, 403, 422, 429). */
export type DeclaredError = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 422 | 426 | 429 | 500 | 502 | 503 | 504;

type PrincipalOf<A extends Auth> = A extends ApiKeyAuth ? Principal : undefined;

/** What a handler receives: one validated request. */
export interface Call<D, A extends Auth, P, Q, H, B> {
  params: P;
  query: Q;
  headers: H;
  body: B;
  /** The body as it was sent, if the endpoint declares a `rawBody`; empty otherwise. */
  rawBody: Buffer;
  principal: PrincipalOf<A>;
  deps: D;
  /** This request's entity manager, bound to the caller's team. Created on first read. */
  em: EntityManager;
  /** Logger with the request's id. Created on first read. */
  log: Logger;
  /** Aborted when the client disconnects before the response is complete. */
  signal: AbortSignal;
  requestId: string;
  ctx: Context;
  /**
   * Runs a task that starts new work. A process runs a few at once and teams take turns, so a burst waits here briefly
   * rather than for a database connection, which times out after seconds.
   * @throws {DependencyDown} when too many are waiting
   */
  queued<T>(start: () => Promise<T>): Promise<T>;
}

interface Declaration<A extends Auth, P, Q, H, B> {
  method: Method;
  /** As in OpenAPI: `/api/v1/investigations/{investigation_id}`. */
  path: string;
  /** Unique across the API. */
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  auth: A;
  /** Object schemas. Strings are coerced to numbers, booleans and arrays where the schema asks for them. */
  params?: P;
  query?: Q;
  /** Names are lower case. */
  headers?: H;
  /** JSON body. */
  body?: B;
  /**
   * In place of `body`: what a body that the handler gets as it was sent should be, for the OpenAPI document. Nothing is
   * checked but its size.
   */
  rawBody?: z.ZodType;
  /** Maximum bytes of the body, if the configured limit for all endpoints does not fit. */
  bodyLimitBytes?: number;
  /** Maximum values in the body, if the limit for all endpoints does not fit. */
  bodyLimitNodes?: number;
  /**
   * The member of the body that the handler receives as raw JSON text, exactly as sent, unless it is a string. Its
   * values never reach the event loop.
   */
  bodyTextMember?: string;
  errors?: DeclaredError[];
  /** `false` exempts the endpoint from the caller's rate limit (probes). */
  rateLimited?: boolean;
  deprecated?: boolean;
  /** Omitted from the OpenAPI document: pages for people and their assets. */
  undocumented?: boolean;
  /**
   * Whether the rows it reads or writes belong to one team; the isolation test then calls it with another team's key.
   * Defaults to true for endpoints with auth.
   */
  teamScoped?: boolean;
}

/** Every response is declared: a JSON schema, another media type (`{'text/csv': 'what it holds'}`), or both. */
type Produces<R> =
  | { response: R; content?: Record<string, string> }
  | { response?: undefined; content: Record<string, string> };

type Result<R> = [R] extends [z.ZodType] ? z.input<R> | ContentResponse : ContentResponse;

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** An endpoint with its schema types erased, as routers, OpenAPI and tests see it. */
export interface Endpoint<D> extends Declaration<Auth, z.ZodType, z.ZodType, z.ZodType, z.ZodType> {
  response?: z.ZodType;
  content?: Record<string, string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- erased on purpose: the router has validated the parts
  handler: (call: Call<D, any, any, any, any, any>) => Promise<unknown>;
}

/**
 * Returns the function with which a room declares its endpoints. One declaration drives request validation, the
 * response check and OpenAPI.
 * @example const endpoint = endpointFor<InvestigationDeps>();
 */
export const endpointFor =
  <D extends ApiDeps>() =>
  <
    const A extends Auth,
    P extends z.ZodType | undefined = undefined,
    Q extends z.ZodType | undefined = undefined,
    H extends z.ZodType | undefined = undefined,
    B extends z.ZodType | undefined = undefined,
    R extends z.ZodType | undefined = undefined,
  >(
    declaration: Declaration<A, P, Q, H, B> &
      Produces<R> & {
        handler: (call: Call<D, A, Output<P>, Output<Q>, Output<H>, Output<B>>) => Promise<Result<R>>;
      },
  ): Endpoint<D> =>
    declaration;

/** Declares an endpoint that needs only {@link ApiDeps}. */
export const endpoint = endpointFor<ApiDeps>();
