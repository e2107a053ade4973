/** Prometheus and systems with its API: Mimir, Thanos, VictoriaMetrics, Cortex. */
import { z } from 'zod';
import { defineConnectorKind } from '../connector.ts';
import { createHttpApi, httpApiConfig } from '../shared/http-api/index.ts';
import { checkAnswer } from '../shared/http-api/answers.ts';
import { readEdges } from './edges/index.ts';
import { askPrometheus, errorMessage, prometheusOperations } from './operations.ts';

const hint =
  'The url of Prometheus is its base URL, without /api/v1; that of Mimir ends in /prometheus, ' +
  'that of a VictoriaMetrics cluster in /select/0/prometheus.';

const answerToOne = z.object({ status: z.literal('success'), data: z.object({ resultType: z.string() }) });

export const prometheus = defineConnectorKind({
  kind: 'prometheus',
  config: httpApiConfig,
  create(config, { id, title, log }) {
    const http = createHttpApi(config, { name: 'Prometheus', errorMessage });
    return {
      id,
      kind: 'prometheus',
      title,
      operations: prometheusOperations(http),
      check: (signal) =>
        checkAnswer(http, { path: ['api', 'v1', 'query'], query: { query: '1' } }, answerToOne, { hint, signal }),
      edges: (windowSeconds, signal) =>
        readEdges({
          windowSeconds,
          query: (promql, context) => askPrometheus(http, 'query', { query: promql }, context),
          signal,
          onOmitted: (what, error) => log.warn({ connector: id, err: error }, `edges lack ${what}`),
        }),
      close: () => http.close(),
    };
  },
});
