/** Finds services by name in what a model wrote. */

/** The service that a model means by a name, ignoring case and quotes. */
export function sameName(written: string, services: Iterable<string>): string | undefined {
  const wanted = plain(written);
  let alike: string | undefined;
  for (const service of services) {
    if (service === written) return service;
    if (plain(service) === wanted) alike ??= service;
  }
  return alike;
}

/** The services a text names as whole words, in order of first mention. */
export function namedIn(text: string, services: Iterable<string>): string[] {
  const lower = text.toLowerCase();
  const found: { service: string; at: number }[] = [];
  for (const service of services) {
    const at = wordAt(lower, service.toLowerCase());
    if (at !== undefined) found.push({ service, at });
  }
  return found.sort((a, b) => a.at - b.at || b.service.length - a.service.length).map(({ service }) => service);
}

function wordAt(text: string, word: string): number | undefined {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + word.length]];
    // A hyphen or dot inside a name belongs to it; one that ends a sentence does not.
    const goesOn = /[\w-]/u.test(after) || (/[./]/u.test(after) && /\w/u.test(text[at + word.length + 1] ?? ' '));
    if (!/[\w./-]/u.test(before) && !goesOn) return at;
  }
  return undefined;
}

const plain = (name: string): string => name.replaceAll(/[`'"]/gu, '').trim().toLowerCase();
