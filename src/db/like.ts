/** A LIKE pattern that matches exactly this text: wildcards are escaped with PostgreSQL's default backslash. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
