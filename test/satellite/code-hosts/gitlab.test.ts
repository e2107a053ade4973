/** GitLab, against a server that speaks its protocols: no real one runs here. */
import assert from 'node:assert/strict';
import { CodeHostError, type CodeHost, type HostCall } from '@casebook/connectors';
import { newSha, type FakeProject, type GitLabServer } from '../../support/gitlab-server.ts';
import { testCodeHost, testCodeHostRuns } from './contract.ts';
import { gitLabFixture, gitLabRunsFixture } from './gitlab-fixture.ts';

testCodeHost('GitLab', gitLabFixture);
testCodeHostRuns('GitLab', gitLabRunsFixture);
