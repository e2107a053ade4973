/** What a connect form holds, and the request that it becomes. Pure. */
import type { Integration } from './queries.ts';
import type { FormField, Vendor } from './vendors.ts';

export type Values = Readonly<Record<string, string>>;

/** What a field shows at first: of an integration, what is stored; secrets are not. */
export function initialOf({ name, initial, isFixed }: FormField, integration?: Integration): string {
  if (!integration) return initial ?? '';
  if (name === 'name') return integration.name;
  if (name === 'via') return integration.via ?? '';
  if (name === 'family' && isFixed === true) return integration.family;
  return String(integration.settings[name] ?? '');
}

/** @param only the fields that the request has; what was left empty is left out, and numbers are numbers */
export function bodyOf(only: readonly FormField[], valueOf: (field: FormField) => string): Record<string, unknown> {
  const given = only.flatMap((field): [string, unknown][] => {
    const value = valueOf(field);
    if (value === '' || field.name === 'family') return [];
    const [member = '', inner] = field.name.split('.');
    return [[member, inner === undefined ? (field.kind === 'number' ? Number(value) : value) : { [inner]: value }]];
  });
  return Object.fromEntries(given);
}

/** What a form changes of an integration; a satellite that was taken away is null. */
export function changesOf(fields: readonly FormField[], values: Values, integration: Integration) {
  const changed = fields.filter((field) => {
    const value = values[field.name];
    return value !== undefined && value !== initialOf(field, integration);
  });
  return {
    ...bodyOf(changed, ({ name }) => values[name] ?? ''),
    ...(integration.via !== null && values['via'] === '' && { via: null }),
  };
}

export const pathOf = ({ path }: Vendor, valueOf: (name: string) => string | undefined): string =>
  path.replace('{family}', valueOf('family') ?? 'cloud-b');

/** A message of the API as a sentence of its own. */
export function sentence(message: string): string {
  const said = message.replace(/^Value error, /u, '');
  return said.charAt(0).toUpperCase() + said.slice(1);
}
