/** Applies a description of fields to one check. */
import { CHECK_FORM } from './fields.ts';
import type { Choice, Field, ValueField, Variant } from './field-types.ts';
import { valueAt, withValue, type JsonObject } from './json.ts';

/** The variant a check uses; absent if it names none, or an unknown one. */
export const variantOf = (choice: Choice, check: JsonObject): Variant | undefined =>
  choice.variants.find(({ value }) =>
    choice.path === undefined ? valueAt(check, value) !== undefined : valueAt(check, choice.path) === value,
  );

/** The current fields of a check, including those of its variants. */
export function shownFields(fields: readonly Field[], check: JsonObject): ValueField[] {
  return fields.flatMap((field) =>
    field.kind === 'choice' ? shownFields(variantOf(field, check)?.fields ?? [], check) : [field],
  );
}

/** Everything a variant could set, including nested variants. */
function allPaths(fields: readonly Field[]): string[] {
  return fields.flatMap((field) => {
    if (field.kind !== 'choice') return [field.path];
    return [
      ...(field.path === undefined ? [] : [field.path]),
      ...field.variants.flatMap((variant) => allPaths(variant.fields)),
    ];
  });
}

/**
 * Switches a check to another variant: drops what only other variants have, keeps what both have, and adds the new
 * defaults.
 */
export function choose(choice: Choice, value: string, check: JsonObject): JsonObject {
  const wanted = choice.variants.find((variant) => variant.value === value);
  if (wanted === undefined || wanted === variantOf(choice, check)) return check;
  const kept = new Set(allPaths(wanted.fields));
  const others = choice.variants.flatMap(({ fields }) => allPaths(fields)).filter((path) => !kept.has(path));
  const cleared = [...new Set(others)].reduce<JsonObject>((left, path) => withValue(left, path, undefined), check);
  return withStandards(wanted.fields, choice.path === undefined ? cleared : withValue(cleared, choice.path, value));
}

/** Fills in missing defaults; takes the first variant where none is chosen. */
export function withStandards(fields: readonly Field[], check: JsonObject): JsonObject {
  let filled = check;
  for (const field of fields) {
    if (field.kind !== 'choice') {
      const { path, standard } = field;
      if (standard !== undefined && valueAt(filled, path) === undefined) filled = withValue(filled, path, standard);
      continue;
    }
    const taken = variantOf(field, filled);
    if (taken) filled = withStandards(taken.fields, filled);
    else if (field.variants[0]) filled = choose(field, field.variants[0].value, filled);
  }
  return filled;
}

/** A new check. @param type one of the kinds of checks */
export function newCheck(type: string, id: string): JsonObject {
  const begun: JsonObject = { id, title: '', check: { type } };
  return CHECK_FORM.reduce<JsonObject>((check, { fields }) => withStandards(fields, check), begun);
}

/** Field labels of one kind of check by path; unknown paths label themselves. */
export function labelOf(path: string, check: JsonObject): string {
  const field = fieldAt(path, check);
  return field?.label ?? path;
}

/** The field at a path or around it: quiet hours hold `schedule.quiet_hours.0.from`. */
export function fieldAt(path: string, check: JsonObject): Field | undefined {
  const shown = CHECK_FORM.flatMap(({ fields }) => withChoices(fields, check));
  return shown.find(({ path: own }) => path === own || path.startsWith(`${own}.`))?.field;
}

/** The fields and choices named by a path. */
function withChoices(fields: readonly Field[], check: JsonObject): { path: string; field: Field }[] {
  return fields.flatMap((field) => {
    if (field.kind !== 'choice') return [{ path: field.path, field }];
    const own = field.path === undefined ? [] : [{ path: field.path, field }];
    return [...own, ...withChoices(variantOf(field, check)?.fields ?? [], check)];
  });
}
