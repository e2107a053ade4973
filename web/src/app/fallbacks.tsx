/** What stands in for a page. */
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

/** @param what it is that is not there, as a sentence */
export function NotFoundPage({ what = '' }: { what?: string }) {
  return (
    <div className="p-6">
      <PageHead
        title="There is no such page"
        description={`${what} The address may be cut off, or what it showed was deleted.`}
      />
      <Button asChild>
        <Link to="/">To the investigations</Link>
      </Button>
    </div>
  );
}

/** A page that the session may not read. @param what of which it is one, such as "investigations" */
export function MayNotRead({ title, what, scope }: { title: string; what: string; scope: string }) {
  return (
    <>
      <title>{`${title} · Casebook`}</title>
      <PageHead title={title} />
      <Empty title={`You may not read ${what}`}>
        Your session lacks the scope <code>{scope}</code>. An admin of your team can give it to you.
      </Empty>
    </>
  );
}

export interface PageFailedProps {
  /** What is not there, such as "Finding". */
  title: string;
  /** Several of it. */
  what: string;
  /** The scope without which it may not be read. */
  scope: string;
  error: unknown;
  onRetry: () => void;
}

/** A page whose one thing could not be loaded. */
export function PageFailed({ title, what, scope, error, onRetry }: PageFailedProps) {
  if (error instanceof ApiError && error.status === 403) return <MayNotRead title={title} what={what} scope={scope} />;
  // An id that is no UUID is as unknown as one that nobody has.
  if (error instanceof ApiError && (error.status === 404 || error.status === 422))
    return <NotFoundPage {...(error.status === 404 && { what: error.message })} />;
  return (
    <>
      <title>{`${title} · Casebook`}</title>
      <PageHead title={title} />
      <Failed error={error} onRetry={onRetry} />
    </>
  );
}

/** A page that could not be drawn, or whose part of the app could not be fetched: offline, or a new version was installed. */
export function PageError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const isMissing = /dynamically imported module|Importing a module script failed|Unable to preload/i.test(
    messageOf(error),
  );
  return (
    <div className="p-6">
      <PageHead title="This page could not be shown" />
      <Failed
        error={
          isMissing
            ? new Error('A part of the page could not be fetched: the connection was lost, or Casebook was updated.')
            : error
        }
        // Asks again for what the page is made of as well; only drawing it again would fail again.
        onRetry={isMissing ? () => location.reload() : () => void router.invalidate()}
      />
    </div>
  );
}
