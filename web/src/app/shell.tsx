/** The frame around every page: navigation, account, shortcuts. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { CircleUser, Keyboard, LogOut, Menu as MenuIcon, Monitor, Moon, Plus, Sun, Users } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { whenSessionIsInDoubt } from '../api/client.ts';
import { changeTeam, may, sessionQuery, signOut } from '../api/session.ts';
import { Button } from '../components/ui/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../components/ui/menu.tsx';
import { useToaster } from '../components/ui/toast.tsx';
import { forgetDrafts } from './draft.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { placesFor, type Place } from './navigation.ts';
import { useShortcuts, type Shortcut } from './shortcuts.ts';
import { chooseTheme, useThemeChoice } from './theme.ts';

export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const router = useRouter();
  const navigate = useNavigate();
  const [showsKeys, setShowsKeys] = useState(false);
  const places = useMemo(() => placesFor(session), [session]);
  // A new investigation is shown in the list, so it takes both scopes.
  const mayInvestigate = may(session, 'investigations:read') && may(session, 'investigations:write');

  // The session may end while a page is open; signing in again returns here.
  useEffect(
    () =>
      whenSessionIsInDoubt(() => {
        void queryClient.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false }).then(
          () => router.invalidate(),
          // The next doubtful response triggers the question whether it has ended.
          () => undefined,
        );
      }),
    [queryClient, router],
  );
  // The session was checked again and has ended.
  useEffect(() => {
    if (session === null) void router.invalidate();
  }, [session, router]);

  // The focused link went away with its page; start the next Tab in the new page, not at the top.
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged || document.activeElement !== document.body) return;
        document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
      }),
    [router],
  );

  const shortcuts = useMemo<Shortcut[]>(
    () => [
      ...places.map(({ to, title, key }) => ({
        keys: `g ${key}`,
        title: `Go to ${title}`,
        run: () => void navigate({ to }),
      })),
      ...(mayInvestigate
        ? [{ keys: 'n', title: 'New investigation', run: () => void navigate({ to: '/', hash: 'new' }) }]
        : []),
      ...(may(session, 'chats:write')
        ? [{ keys: 'c', title: 'New chat', run: () => void navigate({ to: '/chat' }) }]
        : []),
      {
        keys: '/',
        title: 'Search this page',
        run: () => document.querySelector<HTMLElement>('input[type=search]')?.focus(),
      },
      { keys: '?', title: 'Show the keys', run: () => setShowsKeys(true) },
    ],
    [places, session, mayInvestigate, navigate],
  );
  useShortcuts(shortcuts);

  return (
    <div className="md:grid md:min-h-dvh md:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col border-r bg-surface p-3 md:flex">
        <Brand />
        {mayInvestigate && (
          <Button variant="primary" className="mb-3" asChild>
            <Link to="/" hash="new">
              <Plus aria-hidden size={16} /> New investigation
            </Link>
          </Button>
        )}
        <nav aria-label="Places" className="flex flex-col gap-0.5">
          {places.map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
        </nav>
        <div className="mt-auto">
          <Account onKeys={() => setShowsKeys(true)} />
        </div>
      </aside>
      <header className="sticky top-0 z-30 flex items-center gap-2 border-b bg-surface px-3 py-2 md:hidden">
        <Brand />
        <div className="ml-auto">
          <Menu
            trigger={
              <Button variant="quiet" icon aria-label="Places">
                <MenuIcon aria-hidden size={20} />
              </Button>
            }
          >
            {places.map(({ to, title, icon: Icon }) => (
              <MenuItem key={to} asChild>
                <Link to={to}>
                  <Icon aria-hidden size={16} /> {title}
                </Link>
              </MenuItem>
            ))}
          </Menu>
        </div>
        <Account onKeys={() => setShowsKeys(true)} isSmall />
      </header>
      {/* The focus goes here when a page is changed by its link at the top. */}
      <main id="main" tabIndex={-1} className="min-w-0 focus:outline-none">
        <div className="mx-auto max-w-7xl p-4 md:p-6">
          <Outlet />
        </div>
      </main>
      <KeysDialog open={showsKeys} onOpenChange={setShowsKeys} shortcuts={shortcuts} />
    </div>
  );
}

const Brand = () => (
  <Link to="/" className="flex items-center gap-2 px-2 py-1 text-lg font-semibold tracking-tight md:mb-3">
    <img src="/favicon.svg" alt="" width={24} height={24} /> Casebook
  </Link>
);

function PlaceLink({ place: { to, title, icon: Icon } }: { place: Place }) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 font-medium text-ink-soft hover:bg-sunken hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent"
    >
      <Icon aria-hidden size={18} /> {title}
    </Link>
  );
}

const THEMES = [
  { choice: 'light', title: 'Light', icon: Sun },
  { choice: 'dark', title: 'Dark', icon: Moon },
  { choice: 'system', title: 'As the system', icon: Monitor },
] as const;

function Account({ onKeys, isSmall }: { onKeys: () => void; isSmall?: boolean }) {
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const router = useRouter();
  const toaster = useToaster();
  const theme = useThemeChoice();
  const leave = async (): Promise<void> => {
    try {
      await signOut(queryClient);
      forgetDrafts();
      await router.invalidate();
    } catch (error) {
      toaster.fail(error);
    }
  };
  const goOnIn = async (teamId: string): Promise<void> => {
    try {
      await changeTeam(teamId);
    } catch (error) {
      toaster.fail(error);
    }
  };
  const who = session?.user?.name ?? session?.team.name ?? '';
  const team = session?.user ? session.team.name : undefined;
  const others = session?.other_teams ?? [];
  return (
    <Menu
      trigger={
        <Button variant="quiet" className={isSmall === true ? 'max-w-32' : 'w-full justify-start'}>
          <CircleUser aria-hidden size={18} className="shrink-0" />
          <span className="min-w-0 text-left">
            <span className="block truncate">
              <span className="sr-only">Account: </span>
              {who}
            </span>
            {team !== undefined && isSmall !== true && (
              <span className="block truncate text-xs font-normal text-ink-soft">{team}</span>
            )}
          </span>
        </Button>
      }
    >
      {/* Where the button has no room for it. */}
      {team !== undefined && isSmall === true && <MenuLabel>{team}</MenuLabel>}
      {THEMES.map(({ choice, title, icon: Icon }) => (
        <MenuItem key={choice} onSelect={() => chooseTheme(choice)}>
          <Icon aria-hidden size={16} /> {title} {theme === choice && <span className="ml-auto">✓</span>}
        </MenuItem>
      ))}
      {others.length > 0 && <MenuSeparator />}
      {others.map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => void goOnIn(id)}>
          <Users aria-hidden size={16} className="shrink-0" />
          <span className="max-w-60 truncate">Go on in {name}</span>
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={onKeys}>
        <Keyboard aria-hidden size={16} /> Keys
      </MenuItem>
      <MenuItem onSelect={() => void leave()}>
        <LogOut aria-hidden size={16} /> Sign out
      </MenuItem>
    </Menu>
  );
}
