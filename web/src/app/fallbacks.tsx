/** What stands in for a page. */
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { Button } from '../components/ui/button.tsx';
import { PageHead } from '../components/ui/panel.tsx';
import { messageOf } from './message-of.ts';
import { Failed, Loading } from '../components/ui/states.tsx';

export const PagePending = () => (
  <div className="p-6">
    <Loading lines={6} />
  </div>
);

export function NotFoundPage() {
  return (
    <div className="p-6">
      <PageHead
        title="There is no such page"
        description="The address may be cut off, or what it showed was deleted."
      />
      <Button asChild>
        <Link to="/">To the investigations</Link>
      </Button>
    </div>
  );
}

/** A page that could not be drawn, or whose part of the app could not be fetched (a new version was installed). */
export function PageError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const isOutdated = /dynamically imported module|Importing a module script failed/i.test(messageOf(error));
  return (
    <div className="p-6">
      <PageHead title="This page could not be shown" />
      <Failed
        error={isOutdated ? new Error('Casebook was updated meanwhile. Reload the page.') : error}
        // Asks again for what the page is made of as well; only drawing it again would fail again.
        onRetry={isOutdated ? () => location.reload() : () => void router.invalidate()}
      />
    </div>
  );
}
