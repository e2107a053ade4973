/** What pages keep in their address. People edit addresses, so anything odd is dropped and never an error. */
type Search = Record<string, unknown>;

/** A cut path would be another one. */
const MAX_PATH_CHARACTERS = 1_024;
/** Longer text in an address is cut. */
const MAX_CHARACTERS = 500;

const text = (value: unknown, maxCharacters = MAX_CHARACTERS): string | undefined => {
  const given = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof given !== 'string') return undefined;
  // No database stores this character.
  const kept = given.replaceAll('\0', '').slice(0, maxCharacters);
  return kept.trim() === '' ? undefined : kept;
};

const natural = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
};

/**
 * Absent fields stay as `undefined`: the router merges these over the address, so an omitted field would come through
 * unvalidated. `undefined` is not written, so addresses stay short.
 */
const known = <T extends Record<string, unknown>>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers of an optional field expect undefined
  fields as never;

/** A path of this app to continue at after signing in; anything that could lead elsewhere is dropped. */
export const localPath = (value: unknown): string | undefined => {
  const path = text(value);
  return path !== undefined && /^\/(?![/\\])[\x20-\x5b\x5d-\uffff]*$/.test(path) ? path : undefined;
};

/** The search parameters of the routes. */
export const searches = {
  /** Lists: the query, a status filter, named filters, and the page from 1. */
  list: (search: Search) =>
    known({
      q: text(search['q']),
      status: text(search['status']),
      filter: text(search['filter']),
      severity: text(search['severity']),
      agent: text(search['agent']),
      service: text(search['service']),
      source: text(search['source']),
      trigger: text(search['trigger']),
      confidence: natural(search['confidence']),
      since: text(search['since']),
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
  /** The open tab, an entry of the report's timeline, and what is open next to it: a citation `n`, or a tool call. */
  investigation: (search: Search) =>
    known({
      tab: text(search['tab']),
      moment: natural(search['moment']),
      citation: natural(search['citation']),
      call: text(search['call']),
    }),
  /** A first message that is prefilled but not sent, and the investigation it is about. */
  newChat: (search: Search) => known({ about: text(search['about']), text: text(search['text']) }),
  /** The tool call open next to a chat, and the answer whose excerpts are marked. */
  chat: (search: Search) => known({ call: text(search['call']), answer: text(search['answer']) }),
  /** The service, by the name its telemetry has. */
  service: (search: Search) => known({ name: text(search['name']) }),
  /** The open file, as it was after a commit or with its history; and the search with its flags. */
  workspace: (search: Search) =>
    known({
      path: text(search['path'], MAX_PATH_CHARACTERS),
      view: text(search['view']),
      at: text(search['at']),
      q: text(search['q']),
      flags: text(search['flags']),
    }),
  signIn: (search: Search) => known({ to: localPath(search['to']), error: text(search['error']) }),
};
