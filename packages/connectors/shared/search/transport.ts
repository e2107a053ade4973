import type { OperationContext } from '../../connector.ts';

/** The few requests that are made, none of which changes anything: a search may have a body and then is a POST. */
export interface SearchRequest {
  method: 'GET' | 'POST';
  /** Parts between the slashes; each is encoded. */
  path: readonly string[];
  query?: Record<string, string | number | boolean>;
  body?: Record<string, unknown>;
}

/** A vendor's client, as far as it is used. */
export interface SearchTransport {
  /**
   * @returns the answer's JSON
   * @throws {QueryError} with the server's reason
   */
  ask(request: SearchRequest, context: OperationContext): Promise<unknown>;
  close(): Promise<void>;
}

export interface SearchServer {
  url: string;
  username?: string;
  password?: string;
  /** Elasticsearch only. */
  apiKey?: string;
  /** Certificate authority in PEM. */
  caFile?: string;
  timeoutMs: number;
}

export const pathOf = ({ path }: SearchRequest): string => `/${path.map(encodeURIComponent).join('/')}`;
