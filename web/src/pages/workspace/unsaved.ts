/** Text that was typed into a file and not saved: it survives a reload, and belongs to the content it was typed into. */
import { keepDraft, readDraft } from '../../app/draft.ts';

export interface Unsaved {
  /** The id of the content that was edited. */
  base: string;
  text: string;
}

const keyOf = (path: string): string => `workspace.${path}`;

export function readUnsaved(path: string): Unsaved | undefined {
  try {
    const kept: unknown = JSON.parse(readDraft(keyOf(path)));
    if (typeof kept !== 'object' || kept === null || !('base' in kept) || !('text' in kept)) return undefined;
    return { base: String(kept.base), text: String(kept.text) };
  } catch {
    return undefined;
  }
}

export const keepUnsaved = (path: string, unsaved: Unsaved | undefined): void =>
  keepDraft(keyOf(path), unsaved === undefined ? '' : JSON.stringify(unsaved));
