/**
 * Splits Markdown into blocks that parse the same alone as together, so that growing text is only re-parsed at its end.
 * When in doubt a block continues: a block that is too long costs time, one that is too short changes what is shown.
 */

export interface Blocks {
  blocks: string[];
  /** Link definitions (`[name]: address`) apply to the whole text. */
  definitions: string;
}

const FENCE = /^( *)(`{3,}(?!.*`)|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const ANY_ITEM = /^[ >\t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const FOOTNOTE = /^[ >\t]*\[\^[^\]\s]+\]:/m;
const DEFINITION = /^ {0,3}\[(?!\^)(?:[^\]\\]|\\.)+\]:/;
/** Inside a quotation or list, or with the address on the next line. */
const ODD_DEFINITION =
  /^(?:(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))+[ \t]*\[[^\]\n]+\]:|[ \t]*\[[^\]\n]+\]:[ \t]*$|[ \t]*\[[^\]\n]*$)/m;
/**
 * A tag that may open HTML, even in a quotation or list; it runs to the next blank line, across anything that looks
 * like a fence.
 */
const TAG = /^[ >\t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*<\/?[a-z]/i;
/** HTML that spans blank lines, and what ends it (CommonMark 4.6, kinds 1 to 5). */
const RAW_HTML: readonly (readonly [RegExp, RegExp])[] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<![a-z]/i, />/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
];

/** What a block's lines add up to: whether a blank line may end it. */
class Piece {
  hasList = false;
  #fence: { mark: string; length: number; indent: number } | undefined;
  #htmlEnd: RegExp | undefined;
  /** Only the parser knows where its parts end, so the text is not split. */
  isUnclear = false;
  #isAfterTag = false;

  get isOpen(): boolean {
    return this.#fence !== undefined || this.#htmlEnd !== undefined;
  }

  takeBlank(): void {
    this.#isAfterTag = false;
  }

  take(line: string): void {
    if (this.#htmlEnd !== undefined) {
      if (this.#htmlEnd.test(line)) this.#htmlEnd = undefined;
      return;
    }
    const [, spaces = '', marks = ''] = FENCE.exec(line) ?? [];
    if (this.#fence !== undefined) {
      const { mark, length, indent } = this.#fence;
      const closes = marks.startsWith(mark) && marks.length >= length && spaces.length < indent + 4;
      // It may or may not have ended with its list item.
      if (this.hasList && indent > 0 && line.search(/\S/) < indent) this.isUnclear = true;
      if (closes && line.trim() === marks) this.#fence = undefined;
      return;
    }
    if (marks !== '' && this.#isAfterTag) this.isUnclear = true;
    this.#isAfterTag ||= TAG.test(line);
    if (marks !== '') this.#fence = { mark: marks.charAt(0), length: marks.length, indent: spaces.length };
    this.hasList ||= ANY_ITEM.test(line);
    const [, end] = RAW_HTML.find(([begin]) => begin.test(line)) ?? [];
    if (end !== undefined && !end.test(line.trimStart().slice(2))) this.#htmlEnd = end;
  }
}

/**
 * @returns blocks that concatenate to the text; a single block if footnotes or hidden definitions tie its parts
 *   together, or if the parts are uncertain
 * @example splitBlocks('a\n\nb').blocks // ['a\n\n', 'b']
 */
export function splitBlocks(text: string): Blocks {
  if (FOOTNOTE.test(text) || ODD_DEFINITION.test(text)) return { blocks: [text], definitions: '' };
  const blocks: string[] = [];
  const definitions: string[] = [];
  let piece = new Piece();
  let start = 0;
  let isAfterBlank = true;
  let isAfterDefinition = false;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, end).replace(/[\r\n]+$/, '');
    if (line.trim() === '') {
      isAfterBlank = true;
      piece.takeBlank();
    } else {
      const isOwn = !/^[ \t]/.test(line) && !(piece.hasList && LIST_ITEM.test(line));
      if (isAfterBlank && isOwn && !piece.isOpen && at > start) {
        blocks.push(text.slice(start, at));
        start = at;
        piece = new Piece();
      }
      const isDefinition = !piece.isOpen && DEFINITION.test(line);
      // It defines nothing inside a paragraph but may after anything else; only the parser can tell.
      if (isDefinition && !isAfterBlank && !isAfterDefinition) return { blocks: [text], definitions: '' };
      if (isDefinition) definitions.push(line);
      isAfterDefinition = isDefinition;
      piece.take(line);
      if (piece.isUnclear) return { blocks: [text], definitions: '' };
      isAfterBlank = false;
    }
    at = end;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return { blocks, definitions: definitions.join('\n') };
}
