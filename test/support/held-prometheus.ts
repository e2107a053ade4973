/**
 * Prometheus' HTTP API, as far as `promql` needs it, played by the test: it records each range query and holds the
 * answer to an expression with a `gate` label until that gate is opened. A label `gauge` names a value that the test turns
 * up and down; a label `lag` says how many seconds every answer takes. Only for tests about what happens while a call
 * is in flight; what Prometheus answers is tested against the real one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, sendJson } from '@casebook/offline-model';
import { Gates } from './scripted-model/gates.ts';

export interface RecordedQuery {
  expr: string;
  /** When it arrived, unix milliseconds. */
  at: number;
  /** The client went away before it had the answer. */
  aborted: boolean;
  finished: boolean;
  /** When it was answered, or its client went away; unix milliseconds. */
  endedAt?: number;
}

export interface HeldPrometheus {
  url: string;
  /** The range queries that arrived, in order. */
  queries: RecordedQuery[];
  /** What the series of a gauge says from now on. */
  set(gauge: string, value: number): void;
  /** Opens a gate, for queries that wait at it and for those to come. */
  release(gate: string): void;
  /** Waits until a query waits at the gate. */
  waitForHold(gate: string): Promise<void>;
  stop(): Promise<void>;
}

/** Every range query has one series of five points: of a gauge its value, else 0 to 4. */
export async function startHeldPrometheus(): Promise<HeldPrometheus> {
  const queries: RecordedQuery[] = [];
  const values = new Map<string, number>();
  const gates = new Gates();
  const server = await listen((request, response) => {
    const [path, inUrl = ''] = request.url!.split('?');
    const answer = (data: unknown): void => sendJson(response, 200, { status: 'success', data });
    if (path === '/api/v1/alerts') return answer({ alerts: [] });
    if (path === '/api/v1/query') return answer({ resultType: 'vector', result: [] });
    if (path === '/api/v1/targets') return answer({ activeTargets: [{ scrapeInterval: '15s' }] });
    if (path !== '/api/v1/query_range') {
      return sendJson(response, 404, { status: 'error', errorType: 'not_found', error: String(path) });
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // A short query may be part of the URL, a long one comes as a form.
      const form = new URLSearchParams(inUrl || Buffer.concat(chunks).toString('utf8'));
      const query: RecordedQuery = { expr: form.get('query') ?? '', at: Date.now(), aborted: false, finished: false };
      queries.push(query);
      response.on('close', () => {
        query.aborted = !query.finished;
        query.endedAt = Date.now();
      });
      const label = (name: string): string | undefined => new RegExp(`\\b${name}="([^"]+)"`).exec(query.expr)?.[1];
      const gate = label('gate');
      const gauge = label('gauge');
      const lag = label('lag');
      const finish = (): void => {
        if (response.destroyed) return;
        query.finished = true;
        answer({
          resultType: 'matrix',
          result: [
            { metric: { service: 'db' }, values: samples(form, gauge === undefined ? undefined : values.get(gauge)) },
          ],
        });
      };
      if (lag !== undefined) void sleep(Number(lag) * 1_000).then(finish);
      else if (gate === undefined) finish();
      else void gates.wait(gate, response).then(finish);
    });
  }, 0);
  return {
    url: server.url,
    queries,
    set: (gauge, value) => void values.set(gauge, value),
    release: (gate) => gates.release(gate),
    waitForHold: (gate) => gates.waitForHold(gate),
    stop: () => server.stop(),
  };
}

function samples(form: URLSearchParams, value?: number): [number, string][] {
  const [from, to] = [Number(form.get('start')), Number(form.get('end'))];
  return Array.from({ length: 5 }, (_, index) => [from + ((to - from) * index) / 4, String(value ?? index)]);
}
