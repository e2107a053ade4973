import { CodeHostError } from '../shared/code-host/port.ts';

/**
 * GitHub tells conflicts from invalid or forbidden requests only by its words.
 * @throws {CodeHostError} `conflict` where they are like `words`, and whatever else `work` does
 */
export async function conflictOn<Result>(words: RegExp, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isRefusal = error instanceof CodeHostError && (error.reason === 'invalid' || error.reason === 'forbidden');
    if (isRefusal && words.test(error.message)) throw new CodeHostError('conflict', error.message);
    throw error;
  }
}
