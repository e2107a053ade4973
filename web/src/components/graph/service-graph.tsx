/** Services and their calls: the suspect, the affected, and the path of the fault. */
import { Maximize, Minus, Plus } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useTheme } from '../../app/theme.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { count } from '../ui/numbers.ts';
import { Empty } from '../ui/states.tsx';
import { GraphTable } from './graph-table.tsx';
import { around, tidy } from './neighbourhood.ts';
import type { GraphCall, GraphService } from './types.ts';
import type { View } from './view.ts';
import { Working } from './working.tsx';

const Flow = lazy(async () => ({ default: (await import('./flow.tsx')).Flow }));
const BigGraph = lazy(async () => ({ default: (await import('./big-graph.tsx')).BigGraph }));

export interface ServiceGraphProps {
  services: readonly GraphService[];
  calls: readonly GraphCall[];
  selected?: string;
  onSelect?: (name: string) => void;
  /** A service was chosen in the drawing or the table, not merely found. */
  onOpen?: (name: string) => void;
  /** Height of the drawing in pixels. */
  height?: number;
  /** What the graph shows. */
  label: string;
}

/** A larger graph starts out partial. */
const MAX_AT_FIRST = 60;
const SHOWN_AT_FIRST = 32;
/** As many boxes as the DOM handles quickly; beyond that a canvas is used. */
const MAX_AS_ELEMENTS = 100;

export function ServiceGraph({ services, calls, selected, onSelect, onOpen, height = 420, label }: ServiceGraphProps) {
  const theme = useTheme();
  const whole = useMemo(() => tidy({ services, calls }), [services, calls]);
  const [showsAll, setShowsAll] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const [words, setWords] = useState('');
  const [match, setMatch] = useState(0);
  const view = useRef<View>(null);
  const current = selected ?? chosen;
  const isBig = whole.services.length > MAX_AT_FIRST;
  const drawn = useMemo(
    () => (isBig && !showsAll ? around(whole, current, SHOWN_AT_FIRST) : whole),
    [whole, isBig, showsAll, current],
  );
  const matches = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    return wanted === '' ? [] : whole.services.filter(({ name }) => name.toLowerCase().includes(wanted));
  }, [whole, words]);
  const found = useMemo(() => new Set(matches.map(({ name }) => name)), [matches]);
  if (whole.services.length === 0) return <Empty title="No services known" />;

  const select = (name: string): void => {
    setChosen(name);
    onSelect?.(name);
  };
  const open = (name: string): void => {
    select(name);
    onOpen?.(name);
  };
  const goToMatch = (): void => {
    const name = matches[match % matches.length]?.name;
    if (name === undefined) return;
    setMatch(match + 1);
    select(name);
    view.current?.goTo(name);
  };
  const Drawing = drawn.services.length > MAX_AS_ELEMENTS ? BigGraph : Flow;
  return (
    <section aria-label={label} className="min-w-0">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Input
          type="search"
          value={words}
          aria-label="Find a service"
          placeholder="Find a service"
          className="h-8! w-full text-sm sm:w-56"
          onChange={({ target }) => {
            setWords(target.value);
            setMatch(0);
          }}
          onKeyDown={({ key }) => {
            if (key === 'Enter') goToMatch();
          }}
        />
        <span role="status" className="text-sm text-ink-soft">
          {words.trim() !== '' &&
            (matches.length === 0
              ? 'No match'
              : `${count(matches.length, 'match', 'matches')}. Press Enter to go there.`)}
        </span>
        <span className="ml-auto flex items-center gap-1">
          {isBig && (
            <Button size="small" aria-pressed={showsAll} onClick={() => setShowsAll(!showsAll)}>
              {showsAll ? 'Show less' : `Show all ${whole.services.length} services`}
            </Button>
          )}
          <Button size="small" variant="quiet" icon aria-label="Zoom in" onClick={() => view.current?.zoom(1.3)}>
            <Plus aria-hidden size={16} />
          </Button>
          <Button size="small" variant="quiet" icon aria-label="Zoom out" onClick={() => view.current?.zoom(1 / 1.3)}>
            <Minus aria-hidden size={16} />
          </Button>
          <Button
            size="small"
            variant="quiet"
            icon
            aria-label="Show the whole graph"
            onClick={() => view.current?.fit()}
          >
            <Maximize aria-hidden size={16} />
          </Button>
        </span>
      </div>
      {/* Keys work wherever in it the focus is. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className="relative overflow-hidden rounded-lg border bg-ground"
        style={{ height }}
        onKeyDown={(event) => onKey(event, view.current)}
      >
        <Suspense fallback={<Working />}>
          <Drawing
            key={theme}
            ref={view}
            graph={drawn}
            selected={current}
            found={found}
            onSelect={open}
            label={label}
          />
        </Suspense>
      </div>
      <GraphTable label={label} graph={whole} selected={current} onSelect={open} />
    </section>
  );
}

const PAN = 60;
const KEYS: Record<string, (view: View) => void> = {
  '+': (view) => view.zoom(1.3),
  '=': (view) => view.zoom(1.3),
  '-': (view) => view.zoom(1 / 1.3),
  '0': (view) => view.fit(),
  ArrowLeft: (view) => view.pan(PAN, 0),
  ArrowRight: (view) => view.pan(-PAN, 0),
  ArrowUp: (view) => view.pan(0, PAN),
  ArrowDown: (view) => view.pan(0, -PAN),
};

function onKey(event: KeyboardEvent, view: View | null): void {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
  if (act === undefined || view === null) return;
  act(view);
  event.preventDefault();
  event.stopPropagation();
}
