/** The details of an external alert besides its title. */

/** An alert may have any number of labels. */
const MAX_ROWS = 200;

/** The links of an alert, with their labels. */
export function linksIn({ links }: Readonly<Record<string, unknown>>): { label: string; url: string }[] {
  return (Array.isArray(links) ? links : []).flatMap((link: unknown) => {
    if (typeof link !== 'object' || link === null || !('url' in link) || typeof link.url !== 'string') return [];
    const label = 'label' in link && typeof link.label === 'string' && link.label !== '' ? link.label : link.url;
    return [{ label, url: link.url }];
  });
}

/** Everything but links, one row per value: labels by name, other properties by path. */
export function detailRows(details: Readonly<Record<string, unknown>>): { name: string; value: string }[] {
  const { links: _, labels, ...others } = details;
  return [...rowsOf(labels, ''), ...rowsOf(others, '')].slice(0, MAX_ROWS);
}

function rowsOf(value: unknown, at: string): { name: string; value: string }[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) return value.flatMap((each, index) => rowsOf(each, `${at}.${index + 1}`));
  if (typeof value !== 'object') {
    return [{ name: at, value: typeof value === 'string' ? value : JSON.stringify(value) }];
  }
  return Object.entries(value).flatMap(([name, inner]) => rowsOf(inner, at === '' ? name : `${at}.${name}`));
}

/** A web address as a browser reads it; undefined for anything else, such as `javascript:`. */
export function safeUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text)) return undefined;
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}
