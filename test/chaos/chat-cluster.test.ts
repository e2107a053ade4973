/** Several API processes and workers at once: a stream that begins on one goes on on the other. */
import type { Cluster } from '../support/cluster.ts';
import { loseHalf, startTwoOfEach } from './support/lose-half.ts';

describe('two APIs and two workers @never-forgiven', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startTwoOfEach();
  });
  after(() => cluster?.stop());

  it('one API and one worker die: their streams go on at the other, their turns are taken over', () =>
    loseHalf(cluster));
});
