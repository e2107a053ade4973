import { codeSpan, safeInline } from '../report/safe-markdown.ts';
import { titleOfSignal, type Coverage, type SignalCoverage, type SourceCoverage } from './compute.ts';

/** The section of a report that says what it rests on, as Markdown. */
export function renderCoverage({ signals, sources }: Coverage): string {
  const asked = sources.filter((source) => source.asked > 0 || source.error !== null).map(sourceLine);
  return ['## Coverage', '', ...signals.map(signalLine), ...asked].join('\n');
}

function signalLine({ signal, status, asked, answered, leavesOpen }: SignalCoverage): string {
  const counts = `${answered} of ${asked} ${asked === 1 ? 'query' : 'queries'} returned data.`;
  const said = [status === 'answered' ? counts : '', leavesOpen ?? ''].filter(Boolean).join(' ');
  return `- **${titleOfSignal(signal)}:** ${said}`;
}

function sourceLine({ source, recorded, error, answered, asked }: SourceCoverage): string {
  const kind = recorded ? ' (recorded, not live)' : '';
  const said =
    error === null ? `${answered} of ${asked} queries returned data` : `did not answer: ${safeInline(error)}`;
  return `- Source ${codeSpan(source)}${kind}: ${said}`;
}
