import type { KubernetesObject } from './objects.ts';

/** What may be selected by, as in Kubernetes' own field label conversions. */
const FIELDS =
  /^(?:metadata\.(?:name|namespace)|status\.phase|spec\.nodeName|involvedObject\.(?:kind|name|namespace)|type|reason)$/u;

/** Equality only: `a=b,c!=d`. @param unsupported makes the error for a field that cannot be selected by */
export function matchesSelectors(
  object: KubernetesObject,
  labels: string | null,
  fields: string | null,
  unsupported: (label: string) => Error,
): boolean {
  const all = (selector: string | null, valueOf: (key: string) => string | undefined): boolean =>
    (selector ?? '')
      .split(',')
      .filter(Boolean)
      .every((term) => {
        const [, key = '', not, value] = /^([^=!]+)(!?)={1,2}(.*)$/u.exec(term) ?? [];
        return ((valueOf(key) ?? '') === value) === (not === '');
      });
  const field = (key: string): string | undefined => {
    if (!FIELDS.test(key)) throw unsupported(key);
    const value = key
      .split('.')
      .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], object);
    return typeof value === 'string' ? value : undefined;
  };
  return all(labels, (key) => object.metadata.labels?.[key]) && all(fields, field);
}
