/** The map of the pages. Each page is a chunk, loaded on first use. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { searches } from './search.ts';
import { ApiError } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFoundPage, PageError, PagePending } from './fallbacks.tsx';
import { hasLinkToken, takeLinkToken } from './link-token.ts';
import { Shell } from './shell.tsx';
import { signInByLink } from './sign-in-by-link.ts';

interface RouterContext {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({});

/** Everything but the sign-in page and shared reports requires a session; a one-time link's token signs in on the way. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ context: { queryClient }, location }) => {
    const token = takeLinkToken();
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session !== null) return;
    const to = location.pathname + location.searchStr;
    if (token === undefined) throw redirect({ to: '/sign-in', search: to === '/' ? {} : { to } });
    try {
      await signInByLink(queryClient, token);
    } catch (failure) {
      const error = failure instanceof ApiError && failure.status === 401 ? 'link' : 'link_unused';
      throw redirect({ to: '/sign-in', search: { ...(to !== '/' && { to }), error } });
    }
  },
});

const page = <const Path extends string>(path: Path) => ({ getParentRoute: () => signedIn, path });

const routes = [
  createRoute({
    ...page('/'),
    component: lazyRouteComponent(() => import('../pages/home/home.tsx'), 'HomePage'),
  }),
  createRoute({
    ...page('/investigations'),
    validateSearch: searches.list,
    component: lazyRouteComponent(() => import('../pages/investigations/list.tsx'), 'InvestigationsPage'),
  }),
  createRoute({
    ...page('/investigation/$investigationId'),
    validateSearch: searches.investigation,
    component: lazyRouteComponent(() => import('../pages/investigation/index.tsx'), 'InvestigationPage'),
  }),
  createRoute({
    ...page('/chats'),
    validateSearch: searches.list,
    component: lazyRouteComponent(() => import('../pages/chats/list.tsx'), 'ChatsPage'),
  }),
  createRoute({
    ...page('/chat'),
    validateSearch: searches.newChat,
    component: lazyRouteComponent(() => import('../pages/chat/index.tsx'), 'NewChatPage'),
  }),
  createRoute({
    ...page('/chat/$chatId'),
    validateSearch: searches.chat,
    component: lazyRouteComponent(() => import('../pages/chat/index.tsx'), 'ChatPage'),
  }),
  createRoute({
    ...page('/services'),
    validateSearch: searches.list,
    component: lazyRouteComponent(() => import('../pages/services/list.tsx'), 'ServicesPage'),
  }),
  createRoute({
    ...page('/service'),
    validateSearch: searches.service,
    component: lazyRouteComponent(() => import('../pages/services/service.tsx'), 'ServicePage'),
  }),
  createRoute({
    ...page('/workspace'),
    validateSearch: searches.workspace,
    component: lazyRouteComponent(() => import('../pages/workspace/index.tsx'), 'WorkspacePage'),
  }),
  createRoute({
    ...page('/integrations'),
    component: lazyRouteComponent(() => import('../pages/integrations/list.tsx'), 'IntegrationsPage'),
  }),
  createRoute({
    ...page('/integrations/callback'),
    component: lazyRouteComponent(() => import('../pages/integrations/callback.tsx'), 'IntegrationCallbackPage'),
  }),
  createRoute({
    ...page('/satellites'),
    component: lazyRouteComponent(() => import('../pages/satellites/list.tsx'), 'SatellitesPage'),
  }),
  createRoute({
    ...page('/satellites/$satelliteId'),
    validateSearch: searches.tab,
    component: lazyRouteComponent(() => import('../pages/satellites/satellite.tsx'), 'SatellitePage'),
  }),
  createRoute({
    ...page('/monitoring'),
    validateSearch: searches.list,
    component: lazyRouteComponent(() => import('../pages/monitoring/list.tsx'), 'MonitoringPage'),
  }),
  createRoute({
    ...page('/monitoring/$agentId'),
    validateSearch: searches.tab,
    component: lazyRouteComponent(() => import('../pages/monitoring/agent.tsx'), 'MonitoringAgentPage'),
  }),
  createRoute({
    ...page('/findings'),
    validateSearch: searches.list,
    component: lazyRouteComponent(() => import('../pages/findings/list.tsx'), 'FindingsPage'),
  }),
  createRoute({
    ...page('/finding/$findingId'),
    component: lazyRouteComponent(() => import('../pages/findings/finding.tsx'), 'FindingPage'),
  }),
  createRoute({
    ...page('/team'),
    validateSearch: searches.tab,
    component: lazyRouteComponent(() => import('../pages/team/index.tsx'), 'TeamPage'),
  }),
  // Any other path, within the frame.
  createRoute({ ...page('$'), component: NotFoundPage }),
] as const;

const signInPage = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searches.signIn,
  beforeLoad: () => {
    if (hasLinkToken()) throw redirect({ to: '/', replace: true });
  },
  component: lazyRouteComponent(() => import('../pages/sign-in/index.tsx'), 'SignInPage'),
});

/** For anyone with the link: nothing here asks who is signed in. */
const sharedPage = createRoute({
  getParentRoute: () => root,
  path: '/shared',
  component: lazyRouteComponent(() => import('../pages/investigation/shared/index.tsx'), 'SharedPage'),
});

const routeTree = root.addChildren([signInPage, sharedPage, signedIn.addChildren(routes)]);

export const createAppRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    // The query client knows how fresh the data is.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageError,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
