/**
 * Makes invisible or disruptive characters visible: control characters, bidirectional marks, zero-width spaces, lone
 * surrogates.
 */

export interface Piece {
  text: string;
  /** The name of the character that `text` stands for. */
  name?: string;
}

const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US';

const NAMES: Record<number, string> = {
  ...Object.fromEntries(CONTROLS.split(' ').entries()),
  0x7f: 'DEL',
  0xad: 'SHY',
  0x061c: 'ALM',
  0x200b: 'ZWSP',
  0x200c: 'ZWNJ',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LS',
  0x2029: 'PS',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0xfeff: 'BOM',
};

/* oxlint-disable no-control-regex -- they are what is looked for */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/* oxlint-enable no-control-regex */

const codeName = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

function shown(character: string): Piece {
  const code = character.charCodeAt(0);
  const name = NAMES[code];
  return { text: name ?? codeName(code), name: name === undefined ? codeName(code) : `${codeName(code)} ${name}` };
}

/** @param text of one line, without its line break */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push(shown(character));
    end = index + 1;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** The same as one string, for names and titles. */
export const visibleText = (text: string): string =>
  visiblePieces(text)
    .map(({ text }) => text)
    .join('');
