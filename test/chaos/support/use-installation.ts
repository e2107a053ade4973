import { startInstallation, type Installation } from '../../support/installation/index.ts';
import { playCases } from './cases.ts';

/** One installation for a suite that kills its processes; each test begins when everything is up. */
export function useInstallation(): () => Installation {
  let installation: Installation;
  before(async () => {
    installation = await startInstallation({ script: playCases });
  });
  after(async () => {
    await installation?.stop();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error(installation.errors());
    await installation.untilReady();
  });
  return () => installation;
}
