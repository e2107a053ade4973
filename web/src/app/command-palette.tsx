/** Search and commands: every page, action, investigation, finding and service, from anywhere. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { Activity, Bell, Box, Radar, type LucideIcon } from 'lucide-react';
import { useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { api, dataOf } from '../api/client.ts';
import { may, sessionQuery } from '../api/session.ts';
import { sourcesQuery } from '../components/connect-source.tsx';
import { Dialog } from '../components/ui/dialog.tsx';
import { findingsQuery } from '../pages/findings/queries.ts';
import { agentsQuery } from '../pages/monitoring/queries.ts';

export interface Command {
  title: string;
  icon: LucideIcon;
  /** Said beside the title. */
  hint?: string;
  run: () => void;
}

const MAX_OF_KIND = 6;
/** What is found by shorter text is anything. */
const MIN_CHARACTERS = 2;

export interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Pages and actions. */
  commands: readonly Command[];
}

export function CommandPalette({ open, onOpenChange, commands }: CommandPaletteProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Search and commands">
      <Finder commands={commands} onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function Finder({ commands, onDone }: { commands: readonly Command[]; onDone: () => void }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  // Before the dialog focuses its first button.
  useEffect(() => field.current?.focus(), []);
  const found = useFound(useDeferredValue(text.trim()));
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  const shown = [...matching, ...found];
  const chosen = Math.min(active, shown.length - 1);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') run(shown[chosen]);
    else if (by !== undefined && shown.length > 0) setActive((chosen + by + shown.length) % shown.length);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={field}
        type="search"
        role="combobox"
        aria-label="Search or run a command"
        aria-expanded={shown.length > 0}
        aria-controls={list}
        aria-activedescendant={shown.length > 0 ? `${list}-${chosen}` : undefined}
        autoComplete="off"
        placeholder="Page, service, investigation, finding or action"
        className="w-full rounded-md border bg-ground px-3 py-2"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      {shown.length === 0 && (
        <p role="status" className="pt-3 text-ink-soft">
          No matches
        </p>
      )}
      <div id={list} role="listbox" aria-label="Results" className="mt-3 flex max-h-[50dvh] flex-col overflow-y-auto">
        {shown.map((command, index) => (
          <Option
            key={`${index} ${command.title}`}
            id={`${list}-${index}`}
            command={command}
            isActive={index === chosen}
            onPoint={() => setActive(index)}
            onRun={() => run(command)}
          />
        ))}
      </div>
    </>
  );
}

interface OptionProps {
  id: string;
  command: Command;
  isActive: boolean;
  onPoint: () => void;
  onRun: () => void;
}

function Option({ id, command: { title, hint, icon: Icon }, isActive, onPoint, onRun }: OptionProps) {
  return (
    // The field has the focus and handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onPointerMove={onPoint}
      onClick={onRun}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      className={clsx(
        'flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2',
        isActive && 'bg-accent-soft text-accent',
      )}
    >
      <Icon aria-hidden size={16} className="shrink-0" />
      <span className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
        <bdi>{title}</bdi>
      </span>
      {hint !== undefined && <span className="shrink-0 text-sm text-ink-soft">{hint}</span>}
    </div>
  );
}

/** What the text names: investigations, open findings, agents and services. */
function useFound(text: string): Command[] {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const isAsked = text.length >= MIN_CHARACTERS;
  const named = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase());
  const investigations = useQuery({
    queryKey: ['investigations', 'found', text],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/investigations', { params: { query: { page: 1, count: MAX_OF_KIND, search: text } }, signal }),
      ),
    enabled: isAsked && may(session, 'investigations:read'),
    placeholderData: keepPreviousData,
  });
  const mayWatch = isAsked && may(session, 'monitoring:read');
  const findings = useQuery({ ...findingsQuery({ count: 100 }), enabled: mayWatch });
  const agents = useQuery({ ...agentsQuery, enabled: mayWatch });
  const services = useServices(isAsked && may(session, 'investigations:read') ? text : undefined);
  if (!isAsked) return [];
  return [
    ...services.slice(0, MAX_OF_KIND).map((name) => ({
      title: name,
      hint: 'Service',
      icon: Box,
      run: () => void navigate({ to: '/service', search: { name } }),
    })),
    ...(investigations.data?.items ?? []).map(({ id, alert_summary, query }) => ({
      title: alert_summary ?? query,
      hint: 'Investigation',
      icon: Radar,
      run: () => void navigate({ to: '/investigation/$investigationId', params: { investigationId: id } }),
    })),
    ...(findings.data?.findings ?? [])
      .filter(({ title, service }) => named(title) || named(service ?? ''))
      .slice(0, MAX_OF_KIND)
      .map(({ id, title }) => ({
        title,
        hint: 'Finding',
        icon: Bell,
        run: () => void navigate({ to: '/finding/$findingId', params: { findingId: id } }),
      })),
    ...(agents.data?.chats ?? [])
      .filter(({ title }) => named(title))
      .slice(0, MAX_OF_KIND)
      .map(({ chat_id: id, title }) => ({
        title,
        hint: 'Agent',
        icon: Activity,
        run: () => void navigate({ to: '/monitoring/$agentId', params: { agentId: id } }),
      })),
  ];
}

/** Names of services that contain the text, of all sources; a source that does not answer has none. */
function useServices(text: string | undefined): string[] {
  const { data } = useQuery({ ...sourcesQuery, enabled: text !== undefined });
  const offering = (data?.sources ?? []).filter(({ capabilities }) => capabilities.includes('services'));
  const answers = useQueries({
    queries: offering.map(({ id }) => ({
      queryKey: ['sources', id, 'services', text],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        dataOf(
          api.GET('/api/sources/{source_id}/services', {
            params: { path: { source_id: id }, query: { limit: MAX_OF_KIND, ...(text !== undefined && { text }) } },
            signal,
          }),
        ),
      enabled: text !== undefined,
      retry: false,
    })),
  });
  return [...new Set(answers.flatMap((answer) => answer.data?.services.map(({ name }) => name) ?? []))];
}
