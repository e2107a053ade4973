/** How a fake of a vendor's cloud misbehaves when told to. */
import type { ServerResponse } from 'node:http';
import type { ReceivedRequest } from './http-receiver.ts';

/**
 * `hang` never answers, `garbage` is a page of HTML with status 200, `huge` is endless JSON, `echo` repeats the request in
 * an error, as some proxies do.
 */
export type AnswerPlan =
  | 'hang'
  | 'garbage'
  | 'huge'
  | 'echo'
  | { status: number; body?: unknown; headers?: Record<string, string> };

export function planAnswers() {
  const planned = new Map<string, AnswerPlan[]>();
  const standing = new Map<string, AnswerPlan>();
  let abandoned = 0;
  return {
    next(target: string, ...plans: AnswerPlan[]): void {
      planned.set(target, [...(planned.get(target) ?? []), ...plans]);
    },
    always(target: string, plan: AnswerPlan | undefined): void {
      if (plan === undefined) standing.delete(target);
      else standing.set(target, plan);
    },
    /** Requests whose connection was closed before they were answered. */
    abandoned: () => abandoned,
    /** Whether a plan has answered, or will never answer. */
    answer(target: string, request: ReceivedRequest, response: ServerResponse): boolean {
      const plan = planned.get(target)?.shift() ?? standing.get(target);
      if (plan === undefined) return false;
      if (plan === 'hang') response.on('close', () => (abandoned += 1));
      else if (plan === 'garbage') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
      else if (plan === 'huge') flood(response);
      else if (plan === 'echo')
        response.writeHead(500).end(JSON.stringify({ headers: request.headers, body: request.body }));
      else response.writeHead(plan.status, plan.headers).end(JSON.stringify(plan.body ?? {}));
      return true;
    },
  };
}

/** JSON that does not end; sent as fast as it is read. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"entries":[');
  const chunk = '{"textPayload":"flood"},'.repeat(4_000);
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
}
