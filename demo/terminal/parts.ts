import pc from 'picocolors';
import type { LiveShop } from '../live/index.ts';

/** What runs of the live shop, and what is missing: a line each. */
export function partLines({
  addresses,
  prometheusUrl,
  lokiUrl,
  jaegerUrl,
  codeHost,
}: Pick<LiveShop, 'addresses' | 'prometheusUrl' | 'lokiUrl' | 'jaegerUrl' | 'codeHost'>): string[] {
  const line = (name: string, url: string | undefined, without = ''): string =>
    url === undefined
      ? `  ${pc.yellow('–')} ${name.padEnd(14)}${pc.yellow(without)}`
      : `  ${pc.green('✓')} ${name.padEnd(14)}${url}`;
  return [
    line('Shop', addresses.storefront),
    line('Prometheus', prometheusUrl),
    line('Loki', lokiUrl, 'missing: no logs'),
    line('Jaeger', jaegerUrl, 'missing: no traces'),
    ...(codeHost ? [line('Gitea', codeHost.url)] : []),
  ];
}
