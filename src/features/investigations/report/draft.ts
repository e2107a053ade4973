import { safeCut, type StoredEvidence } from '../../tools/index.ts';
import type { Citation } from './schema.ts';

const EXCERPT_CHARACTERS = 300;

/** Citations of text composed piece by piece, after those a report already has; every excerpt is a slice of what it cites. */
export class Draft {
  readonly citations: Citation[];

  constructor(citations: readonly Citation[] = []) {
    this.citations = [...citations];
  }

  /** Cites the start of a result. @returns `[n]` */
  citeHead(stored: StoredEvidence): string {
    const start = stored.content.length - stored.content.trimStart().length;
    return this.#cite(stored, stored.content.slice(start, safeCut(stored.content, start + EXCERPT_CHARACTERS)));
  }

  /**
   * Cites a result where it holds the properties of `part` next to each other, otherwise its start.
   * @returns `[n]`
   */
  citeMembers(stored: StoredEvidence, part: object): string {
    const { content } = stored;
    const members = JSON.stringify(part).slice(1, -1);
    const start = content.indexOf(members);
    if (start < 0 || members.length > EXCERPT_CHARACTERS) return this.citeHead(stored);
    return this.#cite(stored, content.slice(start, safeCut(content, start + EXCERPT_CHARACTERS)));
  }

  #cite({ evidence }: StoredEvidence, excerpt: string): string {
    const known = this.citations.find((one) => one.evidence === evidence && one.excerpts[0] === excerpt);
    const n = known?.n ?? 1 + Math.max(0, ...this.citations.map((one) => one.n));
    if (!known) this.citations.push({ n, evidence, excerpts: [excerpt] });
    return `[${n}]`;
  }
}
