/** Divides a report into what Slack takes. */
import type { MrkdwnBlock } from './mrkdwn.ts';

const FENCE = '```';
/** Something that must not be cut: a link, a character reference, a character. */
const UNIT = /<[^<>]*>|&(?:amp|lt|gt);|./gsu;

export interface Sections {
  sections: string[];
  /** Something was left out. */
  isCut: boolean;
}

/**
 * Texts of at most `mostEach` characters, of at most `mostTotal` together, in the order of the blocks. Cuts between
 * blocks, else between lines, else between characters; code keeps its fences.
 */
export function toSections(blocks: readonly MrkdwnBlock[], mostEach: number, mostTotal: number): Sections {
  const pieces = blocks.flatMap((block) => divide(block, mostEach));
  const sections: string[] = [];
  let total = 0;
  for (const piece of pieces) {
    const last = sections.at(-1);
    const joined = last === undefined ? undefined : `${last}\n${piece}`;
    const fits = joined !== undefined && joined.length <= mostEach;
    total += piece.length + (fits ? 1 : 0);
    if (total > mostTotal) return { sections, isCut: true };
    if (fits) sections[sections.length - 1] = joined;
    else sections.push(piece);
  }
  return { sections, isCut: false };
}

function divide({ text, code }: MrkdwnBlock, most: number): string[] {
  const frame = (part: string): string => (code ? `${FENCE}\n${part}\n${FENCE}` : part);
  // A fence within would end the code early, and what follows would be read as markup.
  const content = code ? text.replaceAll(FENCE, "'''") : text;
  const room = most - frame('').length;
  const parts: string[] = [];
  let part = '';
  for (const line of content.split('\n').flatMap((whole) => cutLine(whole, room))) {
    if (part !== '' && part.length + 1 + line.length > room) {
      parts.push(part);
      part = line;
    } else {
      part = part === '' ? line : `${part}\n${line}`;
    }
  }
  return [...parts, part].filter((each) => each.trim() !== '').map(frame);
}

function cutLine(line: string, room: number): string[] {
  if (line.length <= room) return [line];
  const parts = [''];
  for (const [unit] of line.matchAll(UNIT)) {
    // A link that is longer than all the room there is shows nothing that could be cut.
    const fitting = unit.length <= room ? unit : '…';
    const last = parts.length - 1;
    if ((parts[last] ?? '').length + fitting.length > room) parts.push(fitting);
    else parts[last] += fitting;
  }
  return parts;
}
