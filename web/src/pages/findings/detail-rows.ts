/** Most rows that are shown: an alert may have any number of labels. */
const MOST_ROWS = 200;

/** What an alert says, a row for each value: members of objects are named by their way, `labels.severity`. */
export function detailRows(details: Readonly<Record<string, unknown>>): { name: string; value: string }[] {
  return rowsOf(details, '').slice(0, MOST_ROWS);
}

function rowsOf(value: unknown, at: string): { name: string; value: string }[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) return value.flatMap((each, index) => rowsOf(each, `${at}.${index + 1}`));
  if (typeof value !== 'object')
    return [{ name: at, value: typeof value === 'string' ? value : JSON.stringify(value) }];
  return Object.entries(value).flatMap(([name, inner]) => rowsOf(inner, at === '' ? name : `${at}.${name}`));
}

/** An address of the web, as a browser reads it; undefined for anything else, such as `javascript:`. */
export function safeUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text)) return undefined;
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}
