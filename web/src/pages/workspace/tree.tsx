/** The directories and files of the workspace, opened level by level. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { ChevronDown, ChevronRight, File, Folder, Link2, Lock } from 'lucide-react';
import { useState } from 'react';
import { Failed, Loading } from '../../components/ui/states.tsx';
import { treeQuery, type Entry } from './queries.ts';

const ROW = 'flex min-h-8 w-full items-center gap-1.5 rounded-md px-2 py-1 text-left text-sm hover:bg-sunken';

/** @param openPath the file that is shown; the directories above it are open at first */
export function Tree({ path = '.', openPath }: { path?: string; openPath?: string }) {
  const { data, error, refetch } = useQuery(treeQuery(path));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading lines={path === '.' ? 6 : 1} />;
  if (data.entries.length === 0) return <p className="px-2 py-1 text-sm text-ink-soft">No files yet.</p>;
  const isDirectory = ({ type }: Entry): boolean => type === 'directory';
  const inOrder = [...data.entries.filter(isDirectory), ...data.entries.filter((entry) => !isDirectory(entry))];
  return (
    <ul className={path === '.' ? '' : 'ml-3 border-l pl-1'}>
      {inOrder.map((entry) => (
        <li key={entry.path}>
          {isDirectory(entry) ? (
            <Directory entry={entry} {...(openPath !== undefined && { openPath })} />
          ) : (
            <Leaf entry={entry} isOpen={entry.path === openPath} />
          )}
        </li>
      ))}
      {data.truncated && <li className="px-2 py-1 text-sm text-ink-soft">And more. Search to find them.</li>}
    </ul>
  );
}

function Directory({ entry: { path, name, read_only: isMirror }, openPath }: { entry: Entry; openPath?: string }) {
  const isAbove = openPath?.startsWith(`${path}/`) === true;
  const [isOpen, setIsOpen] = useState(isAbove);
  const [shownFor, setShownFor] = useState(openPath);
  // A file that is opened from elsewhere shows where it is.
  if (shownFor !== openPath) {
    setShownFor(openPath);
    if (isAbove) setIsOpen(true);
  }
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} className={ROW}>
        <Chevron aria-hidden size={16} className="shrink-0 text-ink-soft" />
        <Folder aria-hidden size={16} className="shrink-0 text-ink-soft" />
        <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
        {isMirror && path === 'repos' && <Lock aria-label="read-only" size={14} className="shrink-0 text-ink-soft" />}
      </button>
      {isOpen && <Tree path={path} {...(openPath !== undefined && { openPath })} />}
    </>
  );
}

function Leaf({ entry: { path, name, type }, isOpen }: { entry: Entry; isOpen: boolean }) {
  const Icon = type === 'file' ? File : Link2;
  if (type === 'submodule')
    return (
      <span className={clsx(ROW, 'pl-7 text-ink-soft')}>
        <Icon aria-hidden size={16} className="shrink-0" />
        <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
      </span>
    );
  return (
    <Link
      to="/workspace"
      search={{ path }}
      aria-current={isOpen ? 'page' : undefined}
      className={clsx(ROW, 'pl-7', isOpen && 'bg-accent-soft font-medium text-accent')}
    >
      <Icon aria-hidden size={16} className="shrink-0 text-ink-soft" />
      <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
    </Link>
  );
}
