/** Names with `*` for any characters and `?` for one. */

function expression(glob: string): RegExp {
  const source = glob
    .replace(/[\\^$.+()[\]{}|]/gu, String.raw`\$&`)
    .replace(/\*+/gu, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}

/** @returns whether a name matches any of the globs */
export function matcher(globs: readonly string[]): (name: string) => boolean {
  const expressions = globs.map(expression);
  return (name) => expressions.some((one) => one.test(name));
}
