/**
 * SQL that turns a person's search terms into a `tsquery`; its one parameter is the text as typed. Words match by
 * prefix, case-insensitively; "quoted words" match next to each other; -word excludes. PostgreSQL's parser reads the
 * text, so no input is an error; its lexemes become prefixes. Search it in `to_tsvector('simple', …)`.
 */
export const WORD_QUERY_SQL = `(select regexp_replace(websearch_to_tsquery('simple', ?)::text, '''( |\\)|$)', ''':*\\1', 'g')::tsquery)`;

/** A LIKE pattern that matches exactly this text: wildcards are escaped with PostgreSQL's default backslash. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
