/** Prometheus' HTTP API as far as a check of an expression needs it, answering at once: what a source takes is no figure of ours. */
import { listen, sendJson, type RunningServer } from '@casebook/offline-model';

/** The expression that it answers with one series of 1; every other one too. */
export const GREEN = 'up{job="shop"}';

/** Every range query has one series, as long as 10 points, of the value 1. */
export function startBarePrometheus(): Promise<RunningServer> {
  return listen((request, response) => {
    const [path, inUrl = ''] = request.url!.split('?');
    const answer = (data: unknown): void => sendJson(response, 200, { status: 'success', data });
    if (path === '/api/v1/targets') return answer({ activeTargets: [{ scrapeInterval: '15s' }] });
    if (path !== '/api/v1/query_range') return answer({ resultType: 'vector', result: [] });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = new URLSearchParams(inUrl || Buffer.concat(chunks).toString('utf8'));
      const [from, to] = [Number(form.get('start')), Number(form.get('end'))];
      const values = Array.from({ length: 10 }, (_, at) => [from + ((to - from) * at) / 9, '1']);
      answer({ resultType: 'matrix', result: [{ metric: { job: 'shop' }, values }] });
    });
  }, 0);
}
