import { useQuery } from '@tanstack/react-query';
import { may, sessionQuery } from '../../api/session.ts';
import { Field, Input, Select, Textarea, type FieldProps } from '../../components/ui/field.tsx';
import { satellitesQuery } from '../satellites/queries.ts';
import type { FormField } from './vendors.ts';

/** One field of a connect form. */
export function VendorField(props: {
  field: FormField;
  value: string;
  error: string | undefined;
  /** A secret that is left empty stays as it is. */
  isKept: boolean;
  onChange: (value: string) => void;
}) {
  const { field, value, error, isKept, onChange } = props;
  const { label, hint, kind = 'text', choices = [], isOptional } = field;
  const { data: session } = useQuery(sessionQuery);
  const seesSatellites = kind === 'satellite' && may(session, 'satellites:read');
  const { data: satellites } = useQuery({ ...satellitesQuery(session?.team.id ?? ''), enabled: seesSatellites });
  if (kind === 'satellite' && !satellites?.length) return null;
  const control: FieldProps['children'] = (attributes) => {
    const shared = {
      ...attributes,
      value,
      required: isOptional !== true && !isKept,
      onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    };
    if (kind === 'choice' || kind === 'satellite') {
      const options =
        kind === 'choice' ? choices : (satellites ?? []).map(({ name }) => [name, `Satellite ${name}`] as const);
      return (
        <Select {...shared}>
          {kind === 'satellite' && <option value="">Casebook itself</option>}
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </Select>
      );
    }
    if (kind === 'area') return <Textarea {...shared} rows={4} spellCheck={false} className="font-mono text-sm" />;
    const type = kind === 'password' ? 'password' : kind === 'number' ? 'number' : 'text';
    return (
      <Input {...shared} type={type} autoComplete={kind === 'password' ? 'new-password' : 'off'} spellCheck={false} />
    );
  };
  return (
    <Field
      label={isOptional === true ? `${label} (optional)` : label}
      error={error}
      {...(isKept ? { hint: 'Leave empty to keep the stored value.' } : hint !== undefined && { hint })}
    >
      {control}
    </Field>
  );
}
