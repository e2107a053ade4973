/** What a claim rests on: the result of a tool call, at the excerpt that supports it. */
import { lazy, Suspense } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Loading } from '../ui/states.tsx';

/** Neither is needed before somebody looks. */
const ToolResult = lazy(async () => ({ default: (await import('../text-viewer/tool-result.tsx')).ToolResult }));
const ToolSeries = lazy(async () => ({ default: (await import('../chart/tool-series.tsx')).ToolSeries }));

export interface Evidence {
  /** The id of the tool call. */
  toolId: string;
  /** What was asked, in words. Written by a model or a tool: shown as text. */
  title: string;
  /** Verbatim pieces of the stored result. */
  excerpts?: readonly { text: string; offset: number | null }[];
  /** The result can be drawn as a chart. */
  hasSeries?: boolean;
}

/** A panel beside the page. @param evidence undefined: closed */
export function EvidencePanel({ evidence, onClose }: { evidence: Evidence | undefined; onClose: () => void }) {
  const excerpts = evidence?.excerpts?.length ?? 0;
  return (
    <Dialog
      open={evidence !== undefined}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      placement="side"
      title={evidence?.title ?? ''}
      description={
        excerpts === 0
          ? 'The result as the tool returned it.'
          : 'The result as the tool returned it; what was cited is marked.'
      }
    >
      {evidence !== undefined && (
        <Suspense fallback={<Loading lines={8} />}>
          <div className="flex min-h-full flex-col gap-4">
            {evidence.hasSeries === true && <ToolSeries toolId={evidence.toolId} />}
            <ToolResult toolId={evidence.toolId} {...(evidence.excerpts && { excerpts: evidence.excerpts })} />
          </div>
        </Suspense>
      )}
    </Dialog>
  );
}
