/** What is shown in place of a page. */
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { Button } from '../components/ui/button.tsx';
import { PageHead } from '../components/ui/panel.tsx';
import { messageOf } from './message-of.ts';
import { Empty, Failed, Loading } from '../components/ui/states.tsx';

export const PagePending = () => (
  <div className="p-6">
    <Loading lines={6} />
  </div>
);

/** The lists that a missing item leads back to, by their noun. */
const LISTS = {
  investigations: '/investigations',
  findings: '/findings',
  chats: '/chats',
  agents: '/monitoring',
  services: '/services',
  satellites: '/satellites',
} as const;

/**
 * @param title what is missing, such as "Finding"
 * @param list where to look for it instead
 */
export function NotFoundPage({ title = 'Page', list }: { title?: string; list?: keyof typeof LISTS }) {
  return (
    <>
      <title>{`${title} not found · Casebook`}</title>
      <PageHead
        title={`${title} not found`}
        description={
          list === undefined
            ? 'The address may be incomplete.'
            : 'It may have been deleted, or the address is incomplete.'
        }
      />
      <div className="flex flex-wrap gap-2">
        {list !== undefined && (
          <Button asChild>
            <Link to={LISTS[list]}>All {list}</Link>
          </Button>
        )}
        <Button asChild>
          <Link to="/">Home</Link>
        </Button>
      </div>
    </>
  );
}

/** A page that the session may not read. @param what the noun, such as "investigations" */
export function MayNotRead({ title, what, scope }: { title: string; what: string; scope: string }) {
  return (
    <>
      <title>{`${title} · Casebook`}</title>
      <PageHead title={title} />
      <Empty title={`You do not have access to ${what}`}>
        You need the permission <code>{scope}</code>. Ask a team admin for it.
      </Empty>
    </>
  );
}

export interface PageFailedProps {
  /** The missing noun, such as "Finding". */
  title: string;
  /** Its list. */
  what: keyof typeof LISTS;
  /** The scope required to read it. */
  scope: string;
  error: unknown;
  onRetry: () => void;
}

/** A page whose subject could not be loaded. */
export function PageFailed({ title, what, scope, error, onRetry }: PageFailedProps) {
  if (error instanceof ApiError && error.status === 403) return <MayNotRead title={title} what={what} scope={scope} />;
  // An id that is not a UUID is as unknown as one that does not exist.
  if (error instanceof ApiError && (error.status === 404 || error.status === 422))
    return <NotFoundPage title={title} list={what} />;
  return (
    <>
      <title>{`${title} · Casebook`}</title>
      <PageHead title={title} />
      <Failed error={error} onRetry={onRetry} />
    </>
  );
}

/** A page that failed to render, or whose chunk could not be fetched: offline, or a new version was deployed. */
export function PageError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const isMissing = /dynamically imported module|Importing a module script failed|Unable to preload/i.test(
    messageOf(error),
  );
  return (
    <div className="p-6">
      <PageHead title="This page could not be loaded" />
      <Failed
        error={
          isMissing
            ? new Error('Part of the page could not be loaded: the connection was lost, or Casebook was updated.')
            : error
        }
        // Reload the chunk too; rendering again would only fail again.
        onRetry={isMissing ? () => void reloadIfUp() : () => void router.invalidate()}
      />
    </div>
  );
}

/** Reloading while the API is down would leave the browser's own error page. */
async function reloadIfUp(): Promise<void> {
  const answer = await fetch('/healthz').catch(() => undefined);
  if (answer?.ok === true) location.reload();
}
