/** A request that is not taken, as HTTP says it. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  /** Further headers of the answer. */
  readonly headers: Record<string, string>;
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
