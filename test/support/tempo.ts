/**
 * Grafana Tempo's HTTP API as its documentation has it, played by the test: searching by a few forms of query, traces
 * by id, the word that its frontend echoes, and errors in Tempo's words. Its Go module is not published, so there is
 * nothing to build; that the real one understands what is sent here has not been tried.
 */
import { listen, sendJson } from '@casebook/offline-model';

export interface TestTempo {
  url: string;
  /** Parameters of the searches, in order. */
  searches: Record<string, string>[];
  stop(): Promise<void>;
}

/** @param traces OTLP's JSON by trace id; searches find all of them, up to their limit */
export async function startTempo(traces: Record<string, unknown>): Promise<TestTempo> {
  const searches: Record<string, string>[] = [];
  const server = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    const fail = (status: number, words: string): void => void response.writeHead(status).end(`${words}\n`);
    const id = /^\/api\/traces\/(\w+)$/.exec(pathname)?.[1];
    if (pathname === '/api/echo') response.end('echo');
    else if (pathname === '/api/v2/search/tag/resource.service.name/values') {
      const names = [...new Set(JSON.stringify(traces).match(/(?<="stringValue":")[^"]*/g))];
      sendJson(response, 200, { tagValues: names.map((value) => ({ type: 'string', value })) });
    } else if (id !== undefined) {
      if (traces[id] === undefined) fail(404, 'trace not found');
      else sendJson(response, 200, traces[id]);
    } else if (pathname === '/api/search') {
      const parameters = Object.fromEntries(searchParams);
      searches.push(parameters);
      const { q, start, end, limit = '20' } = parameters;
      const times = [start, end].find((time) => time !== undefined && !/^\d{1,10}$/.test(time));
      if (times !== undefined)
        return fail(400, `invalid start: strconv.ParseInt: parsing "${times}": value out of range`);
      if (q?.endsWith('}') === false) {
        return fail(
          400,
          `invalid TraceQL query: parse error at line 1, col ${q.length + 1}: syntax error: unexpected $end`,
        );
      }
      const found = Object.keys(traces).slice(0, Number(limit));
      const summary = { rootServiceName: 'web', rootTraceName: 'GET /cart', startTimeUnixNano: '1700000000000000000' };
      sendJson(response, 200, {
        traces: found.map((traceID) => ({ traceID, ...summary, durationMs: 557 })),
        metrics: { inspectedTraces: found.length, totalBlocks: 1 },
      });
    } else fail(404, '404 page not found');
  }, 0);
  return { url: server.url, searches, stop: () => server.stop() };
}
