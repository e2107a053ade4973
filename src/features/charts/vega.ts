/** The compiler and renderer take some 130 ms to load, so they load on first use. */
import type { LoggerInterface } from 'vega';
import { textWidth } from './text.ts';

/** @returns the packages, loaded on the first call and cached */
export async function loadVega() {
  const [vegaLite, vega, interpreter] = await Promise.all([
    import('vega-lite'),
    import('vega'),
    import('vega-interpreter'),
  ]);
  measureText(vega);
  return { compile: vegaLite.compile, vega, expressionInterpreter: interpreter.expressionInterpreter };
}

/** Vega assumes every character is as wide as an m, and would truncate labels that fit. */
function measureText(vega: object): void {
  if (!('textMetrics' in vega) || typeof vega.textMetrics !== 'object' || vega.textMetrics === null) return;
  const width = (item: { fontSize?: number }, text?: string | number | null): number =>
    textWidth(String(text ?? ''), item.fontSize ?? 11);
  Object.assign(vega.textMetrics, { width });
}

/** A logger that collects warnings instead of printing them. */
export function collectingLogger(problems: string[]): LoggerInterface {
  const keep = (...messages: readonly unknown[]): LoggerInterface => {
    problems.push(messages.map(String).join(' '));
    return logger;
  };
  const drop = (): LoggerInterface => logger;
  // `level` is a getter without an argument and a setter with one.
  const level = ((given?: number) => (given === undefined ? 2 : logger)) as LoggerInterface['level'];
  const logger: LoggerInterface = { level, error: keep, warn: keep, info: drop, debug: drop };
  return logger;
}
