import { Handle, useStore, type Node, type NodeProps } from '@xyflow/react';
import { clsx } from 'clsx';
import { ROLES } from './roles.ts';
import type { GraphService } from './types.ts';
import { shownName } from './words.ts';

export interface ServiceNodeData extends Record<string, unknown> {
  service: GraphService;
  isSelected: boolean;
  isFaint: boolean;
  onSelect: (name: string) => void;
}

/** Below this scale words are unreadable and left out. */
const FAR = 0.45;

export function ServiceNode({ data, sourcePosition, targetPosition }: NodeProps<Node<ServiceNodeData>>) {
  const { service, isSelected, isFaint, onSelect } = data;
  const isFar = useStore(({ transform }) => transform[2] < FAR);
  const { word, icon: Icon, className } = ROLES[service.role ?? 'related'];
  const name = shownName(service.name);
  return (
    <>
      {targetPosition && <Handle type="target" position={targetPosition} />}
      <button
        type="button"
        // React Flow gives a node that is neither dragged nor selected no pointer events, and its button would inherit that.
        className={clsx(
          'pointer-events-auto flex cursor-pointer size-full items-center gap-2 rounded-md px-2.5 text-left',
          className,
          isSelected && 'outline-3 outline-offset-2 outline-accent',
          isFaint && 'opacity-35',
        )}
        aria-pressed={isSelected}
        title={service.note === undefined ? name : `${name}: ${shownName(service.note, 500)}`}
        onClick={() => onSelect(service.name)}
      >
        {Icon && <Icon aria-hidden size={isFar ? 30 : 18} className="shrink-0" />}
        <span className="min-w-0 flex-1">
          <span className={clsx('block truncate font-medium', isFar ? 'text-lg' : 'text-sm')}>{name}</span>
          {word !== '' && !isFar && <span className="block truncate text-xs">{word}</span>}
        </span>
      </button>
      {sourcePosition && <Handle type="source" position={sourcePosition} />}
    </>
  );
}
