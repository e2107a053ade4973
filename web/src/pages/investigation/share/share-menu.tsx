import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileDown, Link2, Printer, Share2, UserRoundPlus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { may, sessionQuery } from '../../../api/session.ts';
import { Button } from '../../../components/ui/button.tsx';
import { useClipboard } from '../../../components/ui/clipboard.ts';
import { Menu, MenuItem, MenuSeparator } from '../../../components/ui/menu.tsx';
import { saveText } from '../../../components/ui/save-text.ts';
import type { Investigation } from '../queries.ts';
import { reportLink } from './links.ts';

const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }));

/** The ways a report leaves its page. */
export function ShareMenu({ investigation }: { investigation: Investigation }) {
  const { id, status, report, investigation_text: text } = investigation;
  const { data: session } = useQuery(sessionQuery);
  const [isCreating, setIsCreating] = useState(false);
  const putOnClipboard = useClipboard();
  const hasReport = report !== null && status !== 'processing';
  const navigate = useNavigate();
  const printReport = async (): Promise<void> => {
    await navigate({ to: '/investigation/$investigationId', params: { investigationId: id }, search: {} });
    // After the menu has closed: it would be on the paper.
    setTimeout(() => print());
  };
  return (
    <>
      <Menu
        trigger={
          <Button>
            <Share2 aria-hidden size={16} /> Share
          </Button>
        }
      >
        <MenuItem onSelect={() => void putOnClipboard(reportLink(id))}>
          <Link2 aria-hidden size={16} /> Copy link to this {hasReport ? 'report' : 'investigation'}
        </MenuItem>
        {hasReport && may(session, 'investigations:share') && (
          <MenuItem onSelect={() => setIsCreating(true)}>
            <UserRoundPlus aria-hidden size={16} /> Create a read-only link…
          </MenuItem>
        )}
        {hasReport && (
          <>
            <MenuSeparator />
            {text !== null && (
              <MenuItem onSelect={() => saveText(`postmortem-${id}.md`, text, 'text/markdown')}>
                <FileDown aria-hidden size={16} /> Download Markdown postmortem
              </MenuItem>
            )}
            <MenuItem onSelect={() => void printReport()}>
              <Printer aria-hidden size={16} /> Print or save as PDF
            </MenuItem>
          </>
        )}
      </Menu>
      {isCreating && (
        <Suspense>
          <ShareDialog id={id} onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </>
  );
}
