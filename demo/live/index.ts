/** The live shop next to Casebook: its services, what monitors them, and the satellite that Casebook queries. */
import type { Log } from '../../src/embedded/log.ts';
import { messageOf } from '../../src/platform/message-of.ts';
import { createSupervisor } from '../../src/embedded/supervisor.ts';
import type { CasebookAddress } from '../casebook-api.ts';
import { findJaeger, findLoki, findPrometheus } from '../servers/find.ts';
import { jaegerProcess } from '../servers/jaeger.ts';
import { lokiProcess } from '../servers/loki.ts';
import {
  forgetSeries,
  prometheusProcess,
  untilAlert,
  untilNoAlert,
  untilScraped,
  type FiringAlert,
} from '../servers/prometheus.ts';
import { injectFault, shopAddresses, shopProcesses, type ShopAddresses } from '../shop/processes.ts';
import type { LiveIncident } from '../shop/incidents.ts';
import { startCodeHost, type LiveCodeHost } from './code-host.ts';
import { enrolmentToken, satelliteProcess } from './satellite.ts';

/** Healthy seconds before something goes wrong, by default; the ranker compares with them. */
const BASELINE_SECONDS = 45;
const BASELINE_TIMEOUT_MS = 180_000;
const ALERT_TIMEOUT_MS = 90_000;
const CALM_TIMEOUT_MS = 120_000;
const SCRAPES_AFTER_REPAIR = 3;

/** Nothing is available to monitor the shop with. */
export class NoPrometheusError extends Error {
  override name = 'NoPrometheusError';
}

export interface LiveShop {
  addresses: ShopAddresses;
  prometheusUrl: string;
  /** Undefined without Loki; then there are no logs. */
  lokiUrl?: string;
  /** Undefined without Jaeger; then there are no traces. */
  jaegerUrl?: string;
  /** Undefined unless it was asked for. */
  codeHost?: LiveCodeHost;
  /**
   * Waits until enough healthy time was recorded to tell causes apart. @param onProgress receives the seconds so far
   * and those needed
   */
  untilKnown(signal: AbortSignal, onProgress?: (seconds: number, of: number) => void): Promise<void>;
  /** Injects a fault. */
  inject(incident: LiveIncident): Promise<void>;
  /** Injects a fault and waits for the alert. */
  cause(incident: LiveIncident, signal: AbortSignal): Promise<FiringAlert>;
  /** Waits until no alert fires. */
  untilCalm(signal: AbortSignal): Promise<void>;
  /**
   * Ends the fault, waits until no alert fires, and makes Prometheus forget it: among hours of health it would not
   * matter, among the minutes of a demo it would look normal.
   */
  repair(incident: LiveIncident, signal: AbortSignal): Promise<void>;
}

export interface LiveShopStart {
  /**
   * Starts Prometheus once the shop is up, and the satellite that connects to Casebook.
   * @param codeHost starts a code host too, with a database beside this one
   * @throws {NoPrometheusError}
   */
  connect(casebook: CasebookAddress, codeHost?: { adminDatabaseUrl: string }): Promise<LiveShop>;
  stop(): Promise<void>;
  stopNow(): Promise<void>;
}

/**
 * Starts the shop. Every process is supervised, with its pid in `HOME/run`; all listen on loopback only.
 * @param options.home folder of all embedded state
 */
export function startLiveShop(options: { home: string; log: Log; baselineSeconds?: number }): LiveShopStart {
  const { home, log, baselineSeconds = BASELINE_SECONDS } = options;
  // The supervisor reports unexpected exits; the caller announces the start.
  const supervisor = createSupervisor({
    home,
    log,
    stopOrder: ['satellite', 'shop-customers', 'gitea', 'prometheus', 'loki', 'jaeger'],
  });
  const begin = async () => {
    const [prometheus, addresses] = await Promise.all([
      findPrometheus({ home, log }).catch((error: unknown) => {
        throw new NoPrometheusError(messageOf(error), { cause: error });
      }),
      shopAddresses(),
    ]);
    const [lokiUrl, traces] = await Promise.all([startLoki(), startJaeger()]);
    const specs = shopProcesses({ home, addresses, lokiUrl, otlpUrl: traces?.otlpUrl });
    await Promise.all(specs.map((spec) => supervisor.start(spec)));
    return { prometheus, addresses, lokiUrl, jaegerUrl: traces?.url };
  };

  const startLoki = async (): Promise<string | undefined> => {
    try {
      const { spec, url } = await lokiProcess({ binary: await findLoki({ home, log }), home });
      await supervisor.start(spec);
      return url;
    } catch (error) {
      log.warn(`${messageOf(error)}. The shop continues without logs.`);
      return undefined;
    }
  };

  const startJaeger = async (): Promise<{ url: string; otlpUrl: string } | undefined> => {
    try {
      const { spec, ...urls } = await jaegerProcess({ binary: await findJaeger({ home, log }), home });
      await supervisor.start(spec);
      return urls;
    } catch (error) {
      log.warn(`${messageOf(error)}. The shop continues without traces.`);
      return undefined;
    }
  };

  const begun = begin();
  begun.catch(() => undefined);
  const stopping = new AbortController();
  const end = (stop: () => Promise<void>) => () => {
    stopping.abort();
    return stop();
  };
  return {
    async connect(casebook, wantedHost) {
      const { prometheus, addresses, lokiUrl, jaegerUrl } = await begun;
      const { spec, url: prometheusUrl } = await prometheusProcess({ binary: prometheus, home, targets: addresses });
      await supervisor.start(spec);
      const token = await enrolmentToken(casebook);
      await supervisor.start(satelliteProcess({ home, casebook, token, prometheusUrl, lokiUrl, jaegerUrl }));
      const codeHost =
        wantedHost &&
        (await startCodeHost({
          ...wantedHost,
          home,
          log,
          supervisor,
          casebook,
          service: addresses.payments,
          signal: stopping.signal,
        }));
      const begins = async ({ service, kind }: LiveIncident): Promise<void> => {
        if (kind !== 'commit') return injectFault(addresses, service, kind);
        if (!codeHost) throw new TypeError('This shop has no code host.');
        return codeHost.breakIt();
      };
      return {
        addresses,
        prometheusUrl,
        lokiUrl,
        jaegerUrl,
        ...(codeHost && { codeHost }),
        untilKnown: (signal, onProgress) =>
          untilScraped(prometheusUrl, baselineSeconds, {
            timeoutMs: BASELINE_TIMEOUT_MS,
            signal,
            onProgress: (seconds) => onProgress?.(Math.min(seconds, baselineSeconds), baselineSeconds),
          }),
        inject: begins,
        async cause(incident, signal) {
          await begins(incident);
          return untilAlert(prometheusUrl, { timeoutMs: ALERT_TIMEOUT_MS, signal });
        },
        untilCalm: (signal) => untilNoAlert(prometheusUrl, { timeoutMs: CALM_TIMEOUT_MS, signal }),
        async repair({ service }, signal) {
          await injectFault(addresses, service, 'none');
          await untilNoAlert(prometheusUrl, { timeoutMs: CALM_TIMEOUT_MS, signal });
          await forgetSeries(prometheusUrl, signal);
          // No data at all would look like an outage.
          await untilScraped(prometheusUrl, SCRAPES_AFTER_REPAIR, { timeoutMs: BASELINE_TIMEOUT_MS, signal });
        },
      };
    },
    stop: end(() => supervisor.stop()),
    stopNow: end(() => supervisor.stopNow()),
  };
}

/** What an on-call engineer would paste. */
export function questionAbout({ name, service, at, summary }: FiringAlert): string {
  return `Alert ${name} of ${service} fired at ${at}: ${summary}. What is the root cause?`;
}
