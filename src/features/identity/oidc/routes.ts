import type { Context } from 'koa';
import { z } from 'zod';
import { ContentResponse } from '../../../http/respond.ts';
import { NotFound } from '../../../http/errors.ts';
import { requestLog } from '../../../http/request-scope.ts';
import { endpoint, type IdentityDeps } from '../routes/deps.ts';
import { localPath } from '../schemas.ts';
import { handOver, termsFor } from '../routes/sign-in.ts';
import { SignInFailed } from './errors.ts';
import { forgetFlow, keepFlow, readFlow } from './flow.ts';
import type { IdentityProvider } from './provider.ts';
import { signInAs } from './sign-in.ts';

const NOTHING = 'text/plain';

function redirect(ctx: Context, url: string): ContentResponse {
  ctx.status = 302;
  ctx.set('Location', url);
  return new ContentResponse(NOTHING, '');
}

function providerOf({ signIn: { provider } }: IdentityDeps): IdentityProvider {
  if (!provider) throw new NotFound('No identity provider is configured.', 'no_identity_provider');
  return provider;
}

/**
 * Redirects to a page with a code of ours: a person is looking, and nothing the provider says belongs in the address.
 * @param to the requested page, for another try
 */
async function orPage(
  ctx: Context,
  deps: IdentityDeps,
  to: string | undefined,
  work: () => Promise<string>,
): Promise<ContentResponse> {
  try {
    return redirect(ctx, await work());
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
    const { code } = error;
    requestLog(ctx, deps.log).warn({ code, reason: error.reason() }, 'sign-in through the identity provider failed');
    const wanted = to === undefined || to === '/' ? '' : `&to=${encodeURIComponent(to)}`;
    return redirect(ctx, `${deps.signIn.appUrl}/sign-in?error=${code}${wanted}`);
  }
}

const kept = ({ signIn: { secrets }, config: { appUrl }, clock }: IdentityDeps) => ({
  secrets,
  appUrl,
  now: clock.now(),
});

export const oidcEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/sign-in/oidc',
    operationId: 'beginOidcSignIn',
    summary: 'Sign in through the identity provider',
    tags: ['Sign-in'],
    auth: 'none',
    // For browsers, not programs.
    undocumented: true,
    query: z.object({
      to: z
        .string()
        .default('/')
        .refine((path) => localPath(path) !== undefined, 'Value error, must be a path of the web app'),
    }),
    content: { [NOTHING]: 'A redirect' },
    handler: async ({ ctx, deps, query: { to } }) => {
      const provider = providerOf(deps);
      return orPage(ctx, deps, localPath(to), async () => {
        const { url, flow } = await provider.begin(localPath(to) ?? '/');
        ctx.append('Set-Cookie', keepFlow(flow, kept(deps)));
        return url;
      });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/sign-in/oidc/callback',
    operationId: 'finishOidcSignIn',
    summary: 'Identity provider callback',
    tags: ['Sign-in'],
    auth: 'none',
    undocumented: true,
    content: { [NOTHING]: 'A redirect' },
    handler: async ({ ctx, deps }) => {
      const provider = providerOf(deps);
      const flow = readFlow(ctx, kept(deps));
      ctx.append('Set-Cookie', forgetFlow(deps.config.appUrl));
      return orPage(ctx, deps, flow?.to, async () => {
        if (!flow) throw new SignInFailed('sign_in_failed', new Error('This browser has not started a sign-in.'));
        const identity = await provider.finish(ctx.search, flow);
        await handOver(ctx, deps, await signInAs(deps.orm.em, identity, termsFor(ctx, deps)));
        return deps.signIn.appUrl + flow.to;
      });
    },
  }),
];
