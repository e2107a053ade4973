/** What stands in quotes is one thing: no word in it means anything. */
import { corrected } from './spelling.ts';

const QUOTED =
  /"([^"\n]{1,500})"|“([^”\n]{1,500})”|`([^`\n]{1,2000})`|(?<![\p{L}\p{N}])'([^'\n]{1,500})'(?![\p{L}\p{N}])|‘([^’\n]{1,500})’|«([^»\n]{1,500})»/gu;
/** Stand-ins for quoted texts, from the private use area, by their number. */
const FIRST = 0xe000;
const MOST = 0x400;
const STAND_IN = /[\ue000-\ue3ff]/gu;
const CRON = /^\s*(?:[\d*][\w*/,-]*\s+){4}[\d*a-z][\w*/,-]*\s*$/iu;
const LONGEST = 4_000;

export interface Hidden {
  text: string;
  quotes: string[];
}

/** Text as it is read: one line, bounded, without what nobody can type. Lines and list items become statements. */
export function plain(text: string): string {
  const line = text
    .slice(0, LONGEST)
    .toWellFormed()
    .replaceAll(STAND_IN, ' ')
    .replaceAll(/^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+/gmu, '')
    .replaceAll(/\s*\n\s*/gu, ' ; ')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return corrected(line);
}

/** Puts stand-ins in the place of quoted texts. @param isPlain what is read although it is quoted, as a service's name */
export function hideQuotes(text: string, isPlain: (quoted: string) => boolean): Hidden {
  const quotes: string[] = [];
  const hidden = text.replaceAll(QUOTED, (whole, ...groups: unknown[]) => {
    const inner = groups.find((group): group is string => typeof group === 'string') ?? '';
    if (CRON.test(inner)) return whole;
    if (isPlain(inner.trim())) return ` ${inner.trim()} `;
    if (quotes.length >= MOST || inner.trim() === '') return ' ';
    quotes.push(inner.trim());
    return String.fromCharCode(FIRST + quotes.length - 1);
  });
  return { text: hidden, quotes };
}

/** The quoted texts that stand in a part of it. */
export function quotesIn(part: string, { quotes }: Hidden): string[] {
  return (part.match(STAND_IN) ?? []).flatMap((one) => quotes[one.charCodeAt(0) - FIRST] ?? []);
}

/** As the person wrote it. */
export function unhide(part: string, { quotes }: Hidden): string {
  return part.replaceAll(STAND_IN, (one) => `"${quotes[one.charCodeAt(0) - FIRST] ?? ''}"`);
}
