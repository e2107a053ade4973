import type { Context } from 'koa';
import type { z } from 'zod';
import type { EntityManager } from '../db/orm.ts';
import type { Logger } from '../platform/logger.ts';
import type { ApiKeyAuth, Auth, Principal } from './authenticate.ts';
import type { ContentResponse } from './content.ts';
import type { ApiDeps } from './deps.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options';

/** Statuses an endpoint may declare on top of those every endpoint of its kind has (401, 403, 422, 429). */
export type DeclaredError = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 502 | 503 | 504;

type PrincipalOf<A extends Auth> = A extends ApiKeyAuth ? Principal : undefined;

/** What a handler gets: one request, validated. */
export interface Call<D, A extends Auth, P, Q, H, B> {
  params: P;
  query: Q;
  headers: H;
  body: B;
  principal: PrincipalOf<A>;
  deps: D;
  /** This request's entity manager, bound to the caller's team. Made when it is first read. */
  em: EntityManager;
  /** Logger with the request's id. Made when it is first read. */
  log: Logger;
  /** Aborted when the client goes away before the response is complete. */
  signal: AbortSignal;
  requestId: string;
  ctx: Context;
  /**
   * Does what begins new work, a few at a time in the process, teams in turn: a burst waits here for a moment, not for a
   * connection to the database, which is given up after seconds.
   * @throws {DependencyDown} when too many wait
   */
  queued<T>(start: () => Promise<T>): Promise<T>;
}

interface Declaration<A extends Auth, P, Q, H, B> {
  method: Method;
  /** As in OpenAPI: `/api/v1/investigations/{investigation_id}`. */
  path: string;
  /** Unique over the whole API. */
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  auth: A;
  /** Object schemas. Strings are turned into numbers, booleans and arrays where the schema asks for them. */
  params?: P;
  query?: Q;
  /** Names in lower case. */
  headers?: H;
  /** JSON body. */
  body?: B;
  /** Most bytes of the body, where the configured limit for all endpoints does not fit this one. */
  bodyLimitBytes?: number;
  /** Most values in the body, where the limit for all endpoints does not fit this one. */
  bodyLimitNodes?: number;
  /**
   * The member of the body that the handler gets as its JSON text, exactly as it was sent, unless it is a string. The
   * values in it never reach the event loop.
   */
  bodyTextMember?: string;
  errors?: DeclaredError[];
  /** `false`: the caller's rate limit does not apply (probes). */
  rateLimited?: boolean;
  deprecated?: boolean;
  /** Left out of the OpenAPI document: pages for people and their assets. */
  undocumented?: boolean;
  /** The rows it reads or writes belong to one team; the isolation test calls it with another team's key. Default: it has auth. */
  teamScoped?: boolean;
}

/** A response is always declared: a JSON schema, another media type (`{'text/csv': 'what it holds'}`), or both. */
type Produces<R> =
  | { response: R; content?: Record<string, string> }
  | { response?: undefined; content: Record<string, string> };

type Result<R> = [R] extends [z.ZodType] ? z.input<R> | ContentResponse : ContentResponse;

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** An endpoint with its schema types erased: what routers, OpenAPI and tests go over. */
export interface Endpoint<D> extends Declaration<Auth, z.ZodType, z.ZodType, z.ZodType, z.ZodType> {
  response?: z.ZodType;
  content?: Record<string, string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- erased on purpose: the router has validated the parts
  handler: (call: Call<D, any, any, any, any, any>) => Promise<unknown>;
}

/**
 * The declaring function of a room: an endpoint is one declaration, from which validation, the check of the response
 * and OpenAPI follow.
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

/** Declares an endpoint that needs nothing beyond {@link ApiDeps}. */
export const endpoint = endpointFor<ApiDeps>();
