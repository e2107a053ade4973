/** The code hosts in the gallery. */
import type { FormField, Vendor } from './vendors.ts';

const GIVES =
  'Code and history of its repositories; merges, releases and deployments as changes; pull requests and CI runs';

const nameOf = (initial: string): FormField => ({
  name: 'name',
  label: 'Name',
  initial,
  hint: 'The name used for it as a source of changes.',
});

export const CODE_HOSTS: readonly Vendor[] = [
  {
    id: 'github',
    family: 'github',
    title: 'GitHub',
    gives: GIVES,
    path: '/api/code-hosts/github',
    canRepeat: true,
    fields: [
      nameOf('GitHub'),
      { name: 'token', label: 'Fine-grained token', kind: 'password', isOptional: true, hint: 'Or the App below.' },
      { name: 'app_id', label: 'App ID', isOptional: true },
      { name: 'installation_id', label: 'Installation ID of the App', isOptional: true },
      { name: 'private_key', label: 'Private key of the App (PEM)', kind: 'area', isOptional: true },
      {
        name: 'url',
        label: 'URL of the API',
        isOptional: true,
        hint: 'Of another GitHub Enterprise Server: https://HOST/api/v3.',
        isFixed: true,
      },
    ],
    credential: {
      text: 'Create a fine-grained token, or an App, for the repositories that Casebook may see. Permissions: Contents, Pull requests and Webhooks: read and write; Actions, Commit statuses, Deployments and Metadata: read-only. To run failed jobs again: Actions: read and write.',
      link: { to: 'https://github.com/settings/personal-access-tokens', label: 'GitHub: fine-grained tokens' },
    },
  },
  {
    id: 'codehost-b',
    family: 'codehost-b',
    title: 'GitLab',
    gives: GIVES,
    path: '/api/codehost-b/oauth/url',
    consentAt: 'GitLab',
    fields: [
      {
        name: 'client_id',
        label: 'Application ID',
        isOptional: true,
        hint: 'If this installation has no application of its own.',
      },
      { name: 'client_secret', label: 'Secret of the application', kind: 'password', isOptional: true },
    ],
    credential: {
      text: 'GitLab asks you for consent, and Casebook may then do what you may: as Developer, read code and open merge requests; as Maintainer, also register webhooks. An application of your own needs the scope api, and this page as a redirect URI:',
      code: `${location.origin}/integrations/callback`,
      link: { to: 'https://docs.gitlab.com/integration/oauth_provider/', label: 'GitLab: OAuth applications' },
    },
  },
  {
    id: 'gitea',
    family: 'gitea',
    title: 'Gitea or Forgejo',
    gives: GIVES,
    path: '/api/code-hosts/gitea',
    canRepeat: true,
    fields: [
      nameOf('Gitea'),
      { name: 'url', label: 'URL', hint: 'Such as https://git.example.com.', isFixed: true },
      { name: 'token', label: 'Access token', kind: 'password' },
    ],
    credential: {
      text: 'Create a user of its own who is a collaborator of the repositories, and a token with the scopes write:repository, write:issue and read:user. Webhooks are registered where the user is an administrator of the repository.',
      link: { to: 'https://docs.gitea.com/development/oauth2-provider#scopes', label: 'Gitea: scopes of tokens' },
    },
  },
];
