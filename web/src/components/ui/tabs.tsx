import { Tabs as Radix } from 'radix-ui';
import { useEffect, useRef, type ReactNode } from 'react';

export interface TabsProps {
  /** What the tabs belong to, for screen readers. */
  label: string;
  value: string;
  onValueChange: (value: string) => void;
  /** Whether a tab opens only on click or Enter, not on focus. */
  isManual?: boolean;
  tabs: readonly { value: string; title: ReactNode; content: ReactNode }[];
}

/** Tabs. The page holds which one is open, ideally in the address. Only the open one is rendered. */
export function Tabs({ label, value, onValueChange, isManual = false, tabs }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  // On a phone the open tab may be off screen. Scroll only the row of tabs, not the page.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[role=tab][data-state=active]');
    if (!list.current || !tab) return;
    const { scrollLeft, clientWidth } = list.current;
    const isSeen = tab.offsetLeft >= scrollLeft && tab.offsetLeft + tab.offsetWidth <= scrollLeft + clientWidth;
    if (!isSeen) list.current.scrollLeft = tab.offsetLeft;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another tab is another place
  }, [value]);
  return (
    <Radix.Root value={value} onValueChange={onValueChange} activationMode={isManual ? 'manual' : 'automatic'}>
      <Radix.List
        ref={list}
        aria-label={label}
        className="relative flex gap-1 overflow-x-auto overflow-y-hidden border-b [scrollbar-width:none] print:hidden"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent px-3 -outline-offset-2 py-2 text-sm font-medium whitespace-nowrap text-ink-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-accent"
          >
            {tab.title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
