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

/** What is asked for. What makes an integration the one it is does not change, but for the name in an edit. */
export const fieldsFor = (
  { fields, canRepeat }: Pick<Vendor, 'fields' | 'canRepeat'>,
  integration: Integration | undefined,
  isEdit: boolean,
): FormField[] =>
  fields.filter(({ name, isFixed }) => !integration || !canRepeat || (isFixed !== true && (isEdit || name !== 'name')));

/**
 * What connects a vendor; what was left empty is left out, and numbers are numbers.
 * @param integration is connected again
 */
export function bodyOf(
  { fields, canRepeat }: Pick<Vendor, 'fields' | 'canRepeat'>,
  valueOf: (field: FormField) => string,
  integration?: Integration,
): Record<string, unknown> {
  const body = Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueOf(field);
      return value === '' || field.name === 'family' ? [] : [memberOf(field, value)];
    }),
  );
  // It may have been renamed since: its first name is what it is found by.
  return integration && canRepeat ? { ...body, name: integration.source_id.replace('integration:', '') } : body;
}

/** What a form changes of an integration, if anything; null takes away what is optional. */
export const changesOf = (
  fields: readonly FormField[],
  values: Values,
  integration: Integration,
): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = values[field.name];
      return value === undefined || value === initialOf(field, integration) ? [] : [memberOf(field, value)];
    }),
  );

/** A member of a request. */
function memberOf({ name, kind, isOptional }: FormField, value: string): [string, unknown] {
  const [member = '', inner] = name.split('.');
  if (value === '' && isOptional === true) return [member, null];
  return [member, inner === undefined ? (kind === 'number' ? Number(value) : value) : { [inner]: value }];
}

export const pathOf = ({ path }: Vendor, valueOf: (name: string) => string | undefined): string =>
  path.replace('{family}', valueOf('family') ?? 'cloud-b');

/** A message of the API as a sentence of its own. */
export function sentence(message: string): string {
  const said = message.replace(/^Value error, /u, '');
  return said.charAt(0).toUpperCase() + said.slice(1);
}
