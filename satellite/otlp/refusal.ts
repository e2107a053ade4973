/** A refused request, as an HTTP status. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  /** Extra response headers. */
  readonly headers: Record<string, string>;
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
