export type { SignInDeps } from './deps.ts';
export { createOperatorLink, linkUrl } from './links.ts';
export { localPath } from './local-path.ts';
export { createIdentityProvider, type IdentityProvider } from './oidc/provider.ts';
export { signInEndpoints } from './routes.ts';
export { purgeSignIns } from './sessions.ts';
