import { Gauge, type Registry } from 'prom-client';
import type { SatelliteGateway } from './gateway.ts';

/** This node's metrics of its connected satellites, for `/metrics`. */
export function registerSatelliteMetrics(registry: Registry, gateway: SatelliteGateway): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    const made: Gauge = new Gauge({ name, help, registers: [], collect: () => made.set(read()) });
    registry.registerMetric(made);
  };
  gauge('casebook_satellites_connected', 'Satellites connected to this process.', () => gateway.counts().connected);
  gauge(
    'casebook_satellite_requests_under_way',
    'Requests that satellites have not answered yet.',
    () => gateway.counts().asked,
  );
}
