/**
 * SQL of the words that a person looks for, as a `tsquery`; its one parameter is what was typed. Words are found by their
 * beginning, in any case; "quoted words" next to each other; -word excludes. The parser of PostgreSQL reads the text, so
 * nothing in it is an error; its lexemes become prefixes. What is searched is `to_tsvector('simple', …)`.
 */
export const WORD_QUERY_SQL = `(select regexp_replace(websearch_to_tsquery('simple', ?)::text, '''( |\\)|$)', ''':*\\1', 'g')::tsquery)`;
