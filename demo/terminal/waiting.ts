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
  const end = (symbol: string): void => {
    spinner.stop();
    stream.write(`  ${symbol} ${text}\n`);
  };
  try {
    const result = await wait((next) => (spinner.text = `${next} …`));
    end(pc.green('✓'));
    return result;
  } catch (error) {
    end(pc.red('✗'));
    throw error;
  }
}
