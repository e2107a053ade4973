/** Text as a LIKE pattern that matches exactly it: the wildcards in it are escaped, with PostgreSQL's usual backslash. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
