/** Actions on a stored text. */
import { ArrowDown, ArrowUp, Braces, Download } from 'lucide-react';
import type { RefObject } from 'react';
import { Button } from '../ui/button.tsx';
import { useClipboard } from '../ui/clipboard.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Input } from '../ui/field.tsx';
import { saveText } from '../ui/save-text.ts';
import { useToaster } from '../ui/toast.tsx';
import { MAX_HITS } from './find.ts';
import type { Span } from './spans.ts';
import type { Stored, StoredText } from './stored-text.ts';
import type { SearchState } from './use-search.ts';

export interface ToolbarProps {
  stored: Stored;
  store: StoredText;
  words: string;
  onWords: (words: string) => void;
  field: RefObject<HTMLInputElement | null>;
  search: SearchState;
  /** The current hit and excerpt. */
  hit: number;
  excerpt: number;
  places: readonly (Span | undefined)[];
  onStep: (by: number) => void;
}

const count = new Intl.NumberFormat('en');

function found({ hits, isBusy, words }: SearchState, hit: number): string {
  if (hits.length === 0) return isBusy || words === '' ? 'Searching…' : 'No matches';
  const total = `${count.format(hits.length)}${hits.length >= MAX_HITS || isBusy ? '+' : ''}`;
  return `${count.format(hit + 1)} of ${total}`;
}

function excerptsShown(excerpt: number, places: ToolbarProps['places'], isWhole: boolean): string {
  const which = places.length === 1 ? 'Excerpt' : `Excerpt ${excerpt + 1} of ${places.length}`;
  if (places[excerpt] !== undefined) return which;
  return isWhole ? `${which}: not in this result` : `${which}: loading…`;
}

export function Toolbar(props: ToolbarProps) {
  const { stored, store, words, onWords, field, search, hit, excerpt, places, onStep } = props;
  const isSearching = words !== '';
  const steps = isSearching ? search.hits.length : places.length;
  const what = isSearching ? 'match' : 'excerpt';
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b px-3 py-2">
      <Input
        ref={field}
        type="search"
        value={words}
        onChange={({ target }) => onWords(target.value)}
        placeholder="Search the result"
        aria-label="Search the result"
        className="h-8! w-full text-sm sm:w-56"
      />
      {(isSearching || places.length > 0) && (
        <div className="flex items-center gap-1">
          <span role="status" className="text-sm text-ink-soft tabular-nums">
            {isSearching ? found(search, hit) : excerptsShown(excerpt, places, stored.isWhole)}
          </span>
          {steps > 1 && (
            <>
              <Button size="small" variant="quiet" icon aria-label={`Previous ${what}`} onClick={() => onStep(-1)}>
                <ArrowUp aria-hidden size={16} />
              </Button>
              <Button size="small" variant="quiet" icon aria-label={`Next ${what}`} onClick={() => onStep(1)}>
                <ArrowDown aria-hidden size={16} />
              </Button>
            </>
          )}
        </div>
      )}
      <div className="ml-auto flex flex-wrap items-center gap-1">
        <Digest stored={stored} />
        {(stored.lines.isReflowed || !stored.byStructure) && (
          <Button
            size="small"
            variant="quiet"
            aria-pressed={stored.byStructure}
            className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={() => void store.showByStructure(!stored.byStructure)}
          >
            <Braces aria-hidden size={16} /> Pretty-print
          </Button>
        )}
        <TakeAway stored={stored} store={store} />
      </div>
    </div>
  );
}

function Digest({ stored: { head, text, isWhole } }: { stored: Stored }) {
  const { sha256, characters = 0, bytes } = head ?? {};
  const size = bytes === null || bytes === undefined ? `${count.format(characters)} characters` : sizeOf(bytes);
  return (
    <>
      <span className="text-sm text-ink-soft tabular-nums">
        {isWhole ? size : `${Math.floor((100 * text.length) / Math.max(characters, 1))}% of ${size}`}
      </span>
      {sha256 !== null && sha256 !== undefined && (
        <CopyButton size="small" variant="quiet" text={() => sha256} title={sha256}>
          <span className="sr-only">Copy SHA-256 </span>
          <span className="font-mono text-xs">{sha256.slice(0, 10)}…</span>
        </CopyButton>
      )}
    </>
  );
}

/** "12 kB", in thousands. */
const sizeOf = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
};

function TakeAway({ stored, store }: { stored: Stored; store: StoredText }) {
  const toaster = useToaster();
  const copy = useClipboard();
  const download = async (): Promise<void> => {
    try {
      save(await store.whole(), stored.head);
    } catch (error) {
      toaster.fail(error);
    }
  };
  return (
    <>
      <Button size="small" variant="quiet" onClick={() => void copy(() => store.whole())}>
        Copy all
      </Button>
      <Button size="small" variant="quiet" onClick={() => void download()}>
        <Download aria-hidden size={16} /> Download
      </Button>
    </>
  );
}

function save(text: string, head: Stored['head']): void {
  const name = (head?.tool ?? 'result').replaceAll(/[^\w-]/g, '_').slice(0, 60);
  saveText(`${name}-${head?.evidence ?? 1}.${/^\s*[[{]/.test(text) ? 'json' : 'txt'}`, text);
}
