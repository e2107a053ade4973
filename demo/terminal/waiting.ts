import ora from 'ora';
import pc from 'picocolors';

/** Says what is waited for: a spinner whose text can change, or one line where the output is a file or a pipe. */
export async function showWaiting<T>(text: string, wait: (update: (text: string) => void) => Promise<T>): Promise<T> {
  const stream = process.stderr;
  if (!stream.isTTY) {
    stream.write(`  ${text} …\n`);
    return wait(() => undefined);
  }
  const spinner = ora({ stream, discardStdin: false, text: `${text} …` }).start();
  try {
    return await wait((next) => (spinner.text = `${next} …`));
  } finally {
    spinner.stop();
    stream.write(`  ${pc.green('✓')} ${text}\n`);
  }
}
