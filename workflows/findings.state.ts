/** What a finding's workflow remembers between two looks at its row. Pure. */
import type { FindingView } from '../src/features/monitoring-agents/findings/contract.ts';
import { escaped } from './runs.state.ts';

const MAX_KNOWN = 12;
/** A worker's clock may be behind the server's: what is not due for it yet is asked for again a moment later. */
const SHORTEST_WAIT_MS = 1_000;

export class FindingState {
  /** The row may have changed. */
  hasNews = false;
  /** A notification is being sent. */
  isNotifying = false;
  /** The investigation being awaited. */
  following: string | undefined;
  view: FindingView | undefined;
  private readonly known: string[] = [];
  private reads = 0;

  /** The row is about to be read: any later change is news. */
  beginReading(): void {
    this.hasNews = false;
    this.reads += 1;
  }

  know(line: string): void {
    this.known.push(line.replaceAll(/\s+/g, ' ').slice(0, 200));
    if (this.known.length > MAX_KNOWN) this.known.shift();
  }

  /** Nothing in progress would be lost. */
  get isIdle(): boolean {
    return !this.isNotifying && this.following === undefined;
  }

  /** It is closed, and everyone has been notified. */
  isOver({ status, notice, toJudge, investigation }: FindingView): boolean {
    return status === 'closed' && this.isIdle && !notice && !toJudge && investigation?.status !== 'processing';
  }

  isTimeToContinue(suggested: boolean, readsPerHistory: number | undefined): boolean {
    return this.isIdle && (suggested || (readsPerHistory !== undefined && this.reads >= readsPerHistory));
  }

  /** How long to wait for news, ms. @param now unix milliseconds */
  waitMs({ settlesAt }: FindingView, now: number, lookAgainSeconds: number): number {
    const settles = settlesAt === null ? Infinity : settlesAt - now;
    return Math.max(SHORTEST_WAIT_MS, Math.min(settles, lookAgainSeconds * 1_000));
  }

  /** Markdown, for operators. */
  details(): string {
    const { view } = this;
    if (!view) return 'Reading the finding.';
    const standing = view.isFlapping ? `${view.status}, flapping` : view.status;
    const { investigation, notWorthIt, settlesAt } = view;
    return [
      `**${escaped(view.title)}** is ${standing}`,
      ...(view.service === undefined ? [] : [`- service: ${escaped(view.service)}`]),
      ...(notWorthIt === undefined ? [] : [`- nobody is told: ${escaped(notWorthIt)}`]),
      ...(investigation ? [`- investigation \`${investigation.id}\` is ${investigation.status}`] : []),
      ...(settlesAt === null ? [] : [`- next change by itself: ${new Date(settlesAt).toISOString()}`]),
      ...this.known.map((line) => `- ${escaped(line)}`),
    ].join('\n');
  }
}
