/** Against a fake that keeps to GitHub's published description; no real GitHub was asked. */
import { testCodeHost, testCodeHostRuns } from './contract.ts';
import { gitHubFixture, gitHubRunsFixture } from './github-fixture.ts';

testCodeHost('GitHub', gitHubFixture);
testCodeHostRuns('GitHub', gitHubRunsFixture);
