import ora, { type Ora } from 'ora';
import pc from 'picocolors';
import type { RunEvent } from './events.ts';

/** Shows a run in the terminal while it happens: a line for each thing done, a spinner for what is being done. */
export class ProgressView {
  /** Absent where the output is a file or a pipe: a spinner would fill it with its frames. */
  private readonly spinner?: Ora;
  private readonly stream: NodeJS.WriteStream;
  private readonly running = new Map<string, string>();

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.stream = stream;
    if (stream.isTTY) this.spinner = ora({ stream, discardStdin: false, text: 'Waiting for the worker …' }).start();
  }

  show(event: RunEvent): void {
    const { data } = event;
    switch (event.type) {
      case 'turn.started':
        this.say(`step ${text(data['step'])} · ${text(data['model'])} is thinking …`);
        break;
      case 'turn.completed':
        if (text(data['text'])) this.line(pc.cyan('◆'), firstLine(text(data['text'])));
        break;
      case 'tool.started':
        this.running.set(text(data['id']), text(data['summary']));
        this.spin();
        break;
      case 'tool.completed':
        this.running.delete(text(data['id']));
        this.line(symbolOf(data), toolLine(data));
        this.spin();
        break;
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
        this.stop();
        break;
    }
  }

  /** Ends the spinner without a word. */
  stop(): void {
    this.spinner?.stop();
  }

  private say(what: string): void {
    if (this.spinner) this.spinner.text = pc.dim(what);
  }

  private spin(): void {
    const names = [...this.running.values()];
    if (names.length > 0) this.say(names.join(' · ').slice(0, 100));
  }

  private line(symbol: string, line: string): void {
    if (this.spinner) {
      this.spinner.stopAndPersist({ symbol: `  ${symbol}`, text: line });
      this.spinner.start();
    } else {
      this.stream.write(`  ${symbol} ${line}\n`);
    }
  }
}

/** A tick only for what brought data. */
function symbolOf({ isError, answer }: RunEvent['data']): string {
  if (isError) return pc.yellow('!');
  return answer === undefined || answer === 'data' ? pc.green('✓') : pc.dim('–');
}

function toolLine(data: RunEvent['data']): string {
  const evidence = pc.dim(`[${text(data['evidence'])}]`.padStart(4));
  return `${evidence} ${text(data['summary'])} ${pc.dim(`— ${firstLine(text(data['digest']))}`)}`;
}

function firstLine(value: string): string {
  const [line = ''] = value.split('\n', 1);
  return line.length > 110 ? `${line.slice(0, 109)}…` : line;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
