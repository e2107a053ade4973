/** How roles look: each has a word, a symbol and a line style, so that colour never stands alone. */
import { Bell, CircleCheck, Crosshair, TrendingDown, type LucideIcon } from 'lucide-react';
import type { ServiceRole } from './types.ts';

interface RoleLook {
  word: string;
  icon: LucideIcon | undefined;
  /** Of the box. */
  className: string;
  /** Colour names, for drawing on a canvas. */
  ground: string;
  ink: string;
  border: number;
}

const SUSPECT: RoleLook = {
  word: 'Suspect',
  icon: Crosshair,
  className: 'border-[3px] border-bad bg-bad-soft text-bad',
  ground: '--bad-soft',
  ink: '--bad',
  border: 3,
};

export const ROLES: Record<ServiceRole, RoleLook> = {
  cause: { ...SUSPECT, word: 'Cause' },
  suspect: SUSPECT,
  alerting: {
    word: 'Shows the symptom',
    icon: Bell,
    className: 'border-2 border-warn bg-warn-soft text-warn rounded-2xl',
    ground: '--warn-soft',
    ink: '--warn',
    border: 2,
  },
  affected: {
    word: 'Affected',
    icon: TrendingDown,
    className: 'border-2 border-dashed border-warn bg-surface text-ink',
    ground: '--surface',
    ink: '--warn',
    border: 2,
  },
  ruled_out: {
    word: 'Ruled out',
    icon: CircleCheck,
    className: 'border border-good bg-good-soft text-good',
    ground: '--good-soft',
    ink: '--good',
    border: 1,
  },
  related: {
    word: '',
    icon: undefined,
    className: 'border border-line-strong bg-surface text-ink',
    ground: '--surface',
    ink: '--ink',
    border: 1,
  },
};
