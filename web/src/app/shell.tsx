/** The frame around every page: navigation, account, shortcuts. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import {
  Bell,
  CircleUser,
  Keyboard,
  LogOut,
  Menu as MenuIcon,
  Monitor,
  Moon,
  Plus,
  Search,
  Sun,
  Users,
} from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { whenSessionIsInDoubt } from '../api/client.ts';
import { changeTeam, may, sessionQuery, signOut } from '../api/session.ts';
import { openFindingsQuery } from '../pages/findings/queries.ts';
import { Button } from '../components/ui/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../components/ui/menu.tsx';
import { useToaster } from '../components/ui/toast.tsx';
import { forgetDrafts } from './draft.ts';
import { KeysDialog } from './keys-dialog.tsx';
import type { Command } from './command-palette.tsx';
import { groupsFor, type Place } from './navigation.ts';
import { useShortcuts, type Shortcut } from './shortcuts.ts';
import { chooseTheme, useThemeChoice } from './theme.ts';

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }));

export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const router = useRouter();
  const navigate = useNavigate();
  const [showsKeys, setShowsKeys] = useState(false);
  const [isSearching, setIsSearching] = useState(false);
  const groups = useMemo(() => groupsFor(session), [session]);
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

  const commands = useMemo<(Command & { keys: string })[]>(
    () => [
      ...(mayInvestigate
        ? [
            {
              keys: 'n',
              title: 'New investigation',
              icon: Plus,
              run: () => void navigate({ to: '/investigations', hash: 'new' }),
            },
          ]
        : []),
      ...(may(session, 'chats:write')
        ? [{ keys: 'c', title: 'New chat', icon: Plus, run: () => void navigate({ to: '/chat' }) }]
        : []),
      ...groups
        .flatMap(({ places }) => places)
        .map(({ to, title, key, icon }) => ({
          keys: `g ${key}`,
          title: `Go to ${title}`,
          icon,
          run: () => void navigate({ to }),
        })),
    ],
    [groups, session, mayInvestigate, navigate],
  );
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      ...commands,
      {
        keys: '/',
        title: 'Search this page',
        run: () => document.querySelector<HTMLElement>('input[type=search]')?.focus(),
      },
      { keys: '?', title: 'Show keyboard shortcuts', run: () => setShowsKeys(true) },
    ],
    [commands],
  );
  useShortcuts(shortcuts);
  // Also while typing, unlike single letters.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      setIsSearching(true);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);

  return (
    <div className="print:block md:grid md:min-h-dvh md:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col overflow-y-auto border-r bg-surface p-3 md:flex print:hidden">
        <Brand />
        <nav aria-label="Main navigation" className="flex flex-col gap-4">
          {groups.map(({ title, places }) => (
            <div key={title ?? ''} role="group" {...(title !== undefined && { 'aria-label': title })}>
              {title !== undefined && (
                <div aria-hidden className="px-2.5 pb-1 text-xs font-medium text-ink-soft">
                  {title}
                </div>
              )}
              <div className="flex flex-col gap-0.5">
                {places.map((place) => (
                  <PlaceLink key={place.to} place={place} />
                ))}
              </div>
            </div>
          ))}
        </nav>
      </aside>
      <div className="min-w-0">
        <header className="sticky top-0 z-30 print:hidden flex items-center gap-1 border-b bg-surface px-2 py-2 sm:gap-2 sm:px-3 md:px-6">
          <div className="md:hidden">
            <Brand />
          </div>
          <Button
            variant="quiet"
            className="text-ink-soft md:w-80 md:justify-start md:border md:border-line"
            onClick={() => setIsSearching(true)}
          >
            <Search aria-hidden size={16} />
            <span className="flex-1 text-left font-normal max-md:sr-only">Search and commands</span>
            <kbd aria-hidden className="hidden rounded border bg-sunken px-1.5 font-mono text-xs md:inline">
              {MODIFIER}K
            </kbd>
          </Button>
          <div className="ml-auto flex items-center gap-0.5 sm:gap-1.5">
            {may(session, 'monitoring:read') && <OpenFindings />}
            {mayInvestigate && (
              <Button variant="primary" asChild>
                <Link to="/investigations" hash="new">
                  <Plus aria-hidden size={16} />
                  <span className="max-sm:sr-only">New investigation</span>
                </Link>
              </Button>
            )}
            <div className="md:hidden">
              <Menu
                trigger={
                  <Button variant="quiet" icon aria-label="Menu">
                    <MenuIcon aria-hidden size={20} />
                  </Button>
                }
              >
                {groups
                  .flatMap(({ places }) => places)
                  .map(({ to, title, icon: Icon }) => (
                    <MenuItem key={to} asChild>
                      <Link to={to}>
                        <Icon aria-hidden size={16} /> {title}
                      </Link>
                    </MenuItem>
                  ))}
              </Menu>
            </div>
            <Account onKeys={() => setShowsKeys(true)} />
          </div>
        </header>
        {/* The focus goes here when a page is changed by its link at the top. */}
        <main id="main" tabIndex={-1} className="min-w-0 focus:outline-none">
          <div className="mx-auto max-w-7xl p-4 md:p-6">
            <Outlet />
          </div>
        </main>
      </div>
      {isSearching && (
        <Suspense>
          <CommandPalette open onOpenChange={setIsSearching} commands={commands} />
        </Suspense>
      )}
      <KeysDialog open={showsKeys} onOpenChange={setShowsKeys} shortcuts={shortcuts} />
    </div>
  );
}

const MODIFIER = /Mac|iP(?:hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl ';

/** How many findings are open; leads to them. */
function OpenFindings() {
  const { data } = useQuery(openFindingsQuery);
  const open = data?.total ?? 0;
  return (
    <Button variant="quiet" icon asChild>
      <Link to="/findings" search={{ status: 'open' }} aria-label={`Findings, ${open} open`}>
        <span className="relative">
          <Bell aria-hidden size={18} />
          {open > 0 && (
            <span
              aria-hidden
              className="absolute -top-2 -right-2.5 min-w-4 rounded-full bg-bad px-1 text-center text-[0.65rem] leading-4 font-semibold text-surface"
            >
              {open > 99 ? '99+' : open}
            </span>
          )}
        </span>
      </Link>
    </Button>
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
  { choice: 'system', title: 'System', icon: Monitor },
] as const;

function Account({ onKeys }: { onKeys: () => void }) {
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
  const switchTo = async (teamId: string): Promise<void> => {
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
        <Button variant="quiet" className="max-w-52">
          <CircleUser aria-hidden size={18} className="shrink-0" />
          <span className="min-w-0 text-left max-md:sr-only">
            <span className="block truncate">
              <span className="sr-only">Account: </span>
              {who}
            </span>
            {team !== undefined && (
              <span className="block truncate text-xs leading-4 font-normal text-ink-soft">{team}</span>
            )}
          </span>
        </Button>
      }
    >
      {team !== undefined && <MenuLabel>{team}</MenuLabel>}
      {THEMES.map(({ choice, title, icon: Icon }) => (
        <MenuItem key={choice} onSelect={() => chooseTheme(choice)}>
          <Icon aria-hidden size={16} /> {title} {theme === choice && <span className="ml-auto">✓</span>}
        </MenuItem>
      ))}
      {others.length > 0 && <MenuSeparator />}
      {others.map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => void switchTo(id)}>
          <Users aria-hidden size={16} className="shrink-0" />
          <span className="max-w-60 truncate">Switch to {name}</span>
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={onKeys}>
        <Keyboard aria-hidden size={16} /> Keyboard shortcuts
      </MenuItem>
      <MenuItem onSelect={() => void leave()}>
        <LogOut aria-hidden size={16} /> Sign out
      </MenuItem>
    </Menu>
  );
}
