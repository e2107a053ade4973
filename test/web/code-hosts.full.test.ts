import assert from 'node:assert/strict';
import { startGitHubServer, type GitHubServer } from '../support/github-server.ts';
import { startGitLabServer, type GitLabServer } from '../support/gitlab-server.ts';
import { assertPresentable, startWeb, type Web } from '../support/web/index.ts';

describe('code hosts on the page of integrations', () => {
  let web: Web;
  let github: GitHubServer;
  let gitlab: GitLabServer;

  before(async () => {
    [github, gitlab] = await Promise.all([startGitHubServer(), startGitLabServer()]);
    // Nobody serves its Git: the page shows the connection, whatever becomes of the mirror.
    github.addRepository('shop/checkout', { cloneUrl: 'http://127.0.0.1:9/shop/checkout.git' });
    gitlab.addProject('shop/prices');
    web = await startWeb({
      env: {
        CASEBOOK_GITHUB_API_URL: github.url,
        CASEBOOK_GITLAB_URL: gitlab.url,
        GITLAB_CLIENT_ID: gitlab.oauth.client.id,
        GITLAB_CLIENT_SECRET: gitlab.oauth.client.secret,
      },
    });
  });
  after(async () => {
    await web?.stop();
    await Promise.all([github?.stop(), gitlab?.stop()]);
  });

  it('connects GitHub through its form, shows the webhook to set up once, and removes it', async () => {
    const { apiKey } = await web.newTeam();
    const { page, end } = await web.visit('/integrations', { as: apiKey, expected: [/422/] });
    await page.getByRole('button', { name: 'Connect GitHub' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect GitHub' });
    await dialog.getByRole('link', { name: 'GitHub: fine-grained tokens' }).waitFor();
    const token = dialog.getByLabel('Fine-grained token (optional)');
    await token.fill('github_pat_wrong');
    await dialog.getByRole('button', { name: 'Test and connect' }).click();
    await dialog.getByText(/answered 401/).waitFor();
    assert.equal(await token.getAttribute('aria-invalid'), 'true');
    await assertPresentable(page, 'code-hosts-github-refused');
    await token.fill(github.token);
    await dialog.getByRole('button', { name: 'Test and connect' }).click();
    const connected = page.getByRole('dialog', { name: 'GitHub is connected' });
    await connected.getByText(/\/api\/workspace\/webhook\/codehost-a$/).waitFor();
    await connected.getByRole('button', { name: 'Copy Secret' }).waitFor();
    await assertPresentable(page, 'code-hosts-webhook');
    await connected.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('list', { name: 'Integrations' }).getByRole('listitem');
    await row.getByText('Connected', { exact: true }).waitFor();
    // Another token takes the place of the one that is stored.
    await row.getByRole('button', { name: 'Connect again GitHub' }).click();
    const again = page.getByRole('dialog', { name: 'Connect again: GitHub' });
    await again.getByLabel('Fine-grained token (optional)').waitFor();
    assert.equal(await again.getByLabel('Name').count(), 0, 'it keeps its name');
    await again.getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: 'Remove GitHub' }).click();
    await page.getByRole('button', { name: 'Remove integration' }).click();
    await row.waitFor({ state: 'detached' });
    await end();
  });

  it('goes to GitLab and back, where it says what is left to do', async () => {
    // The address of the app, which consent comes back to, has another host than the tests have.
    const app = web.url.replace('127.0.0.1', 'localhost');
    gitlab.oauth.client.redirectUris.push(`${app}/integrations/callback`);
    const { apiKey } = await web.newTeam();
    const { page, context, end } = await web.visit('/sign-in', { as: null, expected: [/401/] });
    const session = { data: { api_key: apiKey }, headers: { origin: app } };
    assert.equal((await context.request.post(`${app}/api/session`, session)).status(), 200);
    await page.goto(`${app}/integrations`);
    await page.getByRole('button', { name: 'Connect GitLab' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Continue to GitLab' }).click();
    await page.getByText('Not every repository reports its pushes yet.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Connected', exact: true }).waitFor();
    assert.equal(new URL(page.url()).search, '', 'neither code nor state stays in the address');
    await assertPresentable(page, 'code-hosts-callback');
    await page.getByRole('link', { name: 'Back to integrations' }).click();
    const row = page.getByRole('list', { name: 'Integrations' }).getByRole('listitem');
    await row.getByText('Connected', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Remove GitLab' }).click();
    await page.getByRole('button', { name: 'Remove integration' }).click();
    await row.waitFor({ state: 'detached' });
    await end();
  });
});
