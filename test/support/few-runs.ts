/** Of a property whose single run takes long, as one that asks a server: a tenth in `npm test`, however long they take. */
export const fewRuns = (numRuns: number): { numRuns: number; interruptAfterTimeLimit?: undefined } =>
  process.env['CASEBOOK_TEST_TIER'] === 'full'
    ? { numRuns }
    : { numRuns: Math.ceil(numRuns / 10), interruptAfterTimeLimit: undefined };
