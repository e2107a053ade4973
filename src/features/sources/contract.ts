/** What other programs of the house say about sources, without loading any. */

/**
 * How a team without a source gets one, for people: one sentence each for vendors and databases, the installation's own
 * servers, private networks and recordings.
 * @param appUrl base URL of the web app, without a trailing slash
 */
export const howToConnect = (appUrl: string): string =>
  `Connect a database or a vendor at ${appUrl}/integrations. ` +
  'Set `PROMETHEUS_URL` for metrics, `LOKI_URL` for logs, and `JAEGER_URL` or `TEMPO_URL` for traces in the environment ' +
  'of API and worker, and restart them. ' +
  `For systems in a network of your own, enrol a satellite at ${appUrl}/satellites. ` +
  'To look at recorded incidents, set `CASEBOOK_INCIDENTS_DIR` to their folder.';

/** Prefix of the ids of recorded incidents: folder `checkout-errors` is the source `incident:checkout-errors`. */
export const RECORDED_ID_PREFIX = 'incident:';

/** Whether a source is a recording, so that nothing in it is about the present. */
export const isRecorded = (sourceId: string): boolean => sourceId.startsWith(RECORDED_ID_PREFIX);
