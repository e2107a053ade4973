import { testCodeHost } from './contract.ts';
import { giteaFixture } from './gitea-fixture.ts';

testCodeHost('Gitea', giteaFixture);
