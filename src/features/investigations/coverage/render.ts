import { codeSpan, safeInline } from '../report/safe-markdown.ts';
import { titleOfSignal, type Coverage, type SignalCoverage, type SourceCoverage } from './compute.ts';

/** The sections of a report that say what it rests on and what was not checked, as Markdown. */
export function renderCoverage({ signals, sources }: Coverage): string {
  const asked = sources.filter((source) => source.asked > 0 || source.error !== null).map(sourceLine);
  const answered = signals.filter(({ status }) => status === 'answered').map(signalLine);
  const open = signals.filter(({ status }) => status !== 'answered').map(signalLine);
  return [section('Coverage', [...answered, ...asked]), section('Gaps', open)].filter(Boolean).join('\n\n');
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [`## ${title}`, '', ...lines].join('\n');

function signalLine({ signal, status, asked, answered, leavesOpen }: SignalCoverage): string {
  const counts = `${answered} of ${asked} ${asked === 1 ? 'query' : 'queries'} returned data.`;
  const said = [status === 'answered' ? counts : '', leavesOpen ?? ''].filter(Boolean).join(' ');
  return `- **${titleOfSignal(signal)}:** ${said}`;
}

function sourceLine({ source, recorded, error, answered, asked }: SourceCoverage): string {
  const kind = recorded ? ' (recorded, not live)' : '';
  const said = error === null ? `${answered} of ${asked} queries returned data` : `no response: ${safeInline(error)}`;
  return `- Source ${codeSpan(source)}${kind}: ${said}`;
}
