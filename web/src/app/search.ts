/**
 * What pages keep in their address. An address may be typed or cut off by hand, so what is odd is dropped and never an
 * error.
 */
type Search = Record<string, unknown>;

/** At most this much of a text in an address is used. */
const MOST_CHARACTERS = 500;

const text = (value: unknown): string | undefined => {
  const given = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof given === 'string' && given.trim() !== '' ? given.slice(0, MOST_CHARACTERS) : undefined;
};

const natural = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
};

/** Drops what is absent, so that addresses stay short. */
const present = <T extends Record<string, unknown>>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries without undefined are what the type says
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** A path of this app, for going on after signing in; anything that could lead elsewhere is dropped. */
export const localPath = (value: unknown): string | undefined => {
  const path = text(value);
  return path !== undefined && /^\/(?![/\\])[\x20-\x5b\x5d-\uffff]*$/.test(path) ? path : undefined;
};

/** The searches of the routes. */
export const searches = {
  /** Lists: the words looked for, a filter by status, others by name, and the page from 1. */
  list: (search: Search) =>
    present({
      q: text(search['q']),
      status: text(search['status']),
      filter: text(search['filter']),
      severity: text(search['severity']),
      agent: text(search['agent']),
      page: natural(search['page']),
    }),
  /** The open tab, its filters, and what is open in it. */
  tab: (search: Search) =>
    present({
      tab: text(search['tab']),
      status: text(search['status']),
      check: text(search['check']),
      open: text(search['open']),
      page: natural(search['page']),
    }),
  /** What is open beside the report: a citation `n`, or a tool call. */
  investigation: (search: Search) => present({ citation: natural(search['citation']), call: text(search['call']) }),
  /** A first message that is only written, not sent, and the investigation it is about. */
  newChat: (search: Search) => present({ about: text(search['about']), text: text(search['text']) }),
  /** The tool call that is open beside a chat, and the answer whose excerpts of it are marked. */
  chat: (search: Search) => present({ call: text(search['call']), answer: text(search['answer']) }),
  signIn: (search: Search) => present({ to: localPath(search['to']), error: text(search['error']) }),
};
