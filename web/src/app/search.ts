/**
 * What pages keep in their address. An address may be typed or cut off by hand, so what is odd is dropped and never an
 * error.
 */
type Search = Record<string, unknown>;

/** At most this much of a text in an address is used. */
const MOST_CHARACTERS = 500;

const text = (value: unknown): string | undefined => {
  const given = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof given !== 'string') return undefined;
  // No database stores this one character.
  const kept = given.replaceAll('\0', '').slice(0, MOST_CHARACTERS);
  return kept.trim() === '' ? undefined : kept;
};

const natural = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
};

/**
 * What is absent stays as `undefined`: the router lays these fields over what the address says, so that a field which
 * is left out would come through as it was typed. Addresses stay short all the same: `undefined` is not written.
 */
const known = <T extends Record<string, unknown>>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers of an optional field expect undefined
  fields as never;

/** A path of this app, for going on after signing in; anything that could lead elsewhere is dropped. */
export const localPath = (value: unknown): string | undefined => {
  const path = text(value);
  return path !== undefined && /^\/(?![/\\])[\x20-\x5b\x5d-\uffff]*$/.test(path) ? path : undefined;
};

/** The searches of the routes. */
export const searches = {
  /** Lists: the words looked for, a filter by status, others by name, and the page from 1. */
  list: (search: Search) =>
    known({
      q: text(search['q']),
      status: text(search['status']),
      filter: text(search['filter']),
      severity: text(search['severity']),
      agent: text(search['agent']),
      page: natural(search['page']),
    }),
  /** The open tab, its filters, and what is open in it. */
  tab: (search: Search) =>
    known({
      tab: text(search['tab']),
      status: text(search['status']),
      check: text(search['check']),
      open: text(search['open']),
      page: natural(search['page']),
    }),
  /** What is open beside the report: a citation `n`, or a tool call. */
  investigation: (search: Search) => known({ citation: natural(search['citation']), call: text(search['call']) }),
  /** A first message that is only written, not sent, and the investigation it is about. */
  newChat: (search: Search) => known({ about: text(search['about']), text: text(search['text']) }),
  /** The tool call that is open beside a chat, and the answer whose excerpts of it are marked. */
  chat: (search: Search) => known({ call: text(search['call']), answer: text(search['answer']) }),
  signIn: (search: Search) => known({ to: localPath(search['to']), error: text(search['error']) }),
};
