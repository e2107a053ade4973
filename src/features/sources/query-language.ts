import { SourceError } from './port.ts';

/** A string literal of PromQL and LogQL, which use Go's double-quoted strings. */
export function quoteString(text: string): string {
  // JSON's escapes are valid in Go too, except lone surrogates, which are not valid text in Go.
  return JSON.stringify(text.toWellFormed());
}

/** A regular expression (RE2) that matches exactly this text. */
export function quoteRegex(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`);
}

/** A matcher `label="value"`. @throws {SourceError} when the label is not a valid name */
export function equals(label: string, value: string): string {
  return `${labelName(label)}=${quoteString(value)}`;
}

/** A matcher for any of several values. */
export function oneOf(label: string, values: string[]): string {
  return values.length === 1
    ? equals(label, values[0]!)
    : `${labelName(label)}=~${quoteString(values.map(quoteRegex).join('|'))}`;
}

function labelName(label: string): string {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label)) throw new SourceError(`"${label.slice(0, 60)}" is not a label name`);
  return label;
}
