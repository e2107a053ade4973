import type { OperationContext } from '../../connector.ts';

/** The only requests ever made. None changes anything: a search may have a body and then is a POST. */
export interface SearchRequest {
  method: 'GET' | 'POST';
  /** Path segments; each is encoded. */
  path: readonly string[];
  query?: Record<string, string | number | boolean>;
  body?: Record<string, unknown>;
}

/** The used part of a vendor's client. */
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
