/** An error response in the form of Google's APIs (`google.rpc.Status`). */
export class GoogleRefusal extends Error {
  readonly code: number;
  readonly status: string;
  readonly info: { reason: string; metadata?: Record<string, string> } | undefined;

  constructor(code: number, status: string, message: string, info?: GoogleRefusal['info']) {
    super(message);
    this.code = code;
    this.status = status;
    this.info = info;
  }

  get body(): object {
    const { code, status, message, info } = this;
    const type = 'type.googleapis.com/google.rpc.ErrorInfo';
    const details = info && { details: [{ '@type': type, domain: 'googleapis.com', ...info }] };
    return { error: { code, message, status, ...details } };
  }
}
