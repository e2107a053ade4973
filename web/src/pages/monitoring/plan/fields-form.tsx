/** Renders a description of fields for one check. */
import { Select } from '../../../components/ui/field.tsx';
import { Control } from './control.tsx';
import type { Choice, Field, Suggestion, ValueField } from './field-types.ts';
import { choose, variantOf } from './form.ts';
import { fieldElementId, type IssueMap } from './issues.ts';
import { Labelled } from './labelled.tsx';
import { valueAt, withValue, type Json, type JsonObject } from './json.ts';

export interface FieldsFormProps {
  fields: readonly Field[];
  checkKey: string;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
  issues: IssueMap;
  disabled: boolean;
  /** The ids of the suggestion lists. */
  lists: Partial<Record<Suggestion, string>>;
}

export const FieldsForm = (props: FieldsFormProps) =>
  props.fields.map((field) =>
    field.kind === 'choice' ? (
      <ChoiceForm key={field.label} choice={field} {...props} />
    ) : (
      <OneField key={field.path} field={field} {...props} />
    ),
  );

function ChoiceForm({ choice, ...props }: FieldsFormProps & { choice: Choice }) {
  const { checkKey, value, onChange, issues, disabled } = props;
  const taken = variantOf(choice, value);
  const error = choice.path === undefined ? undefined : issues.at(checkKey, choice.path);
  return (
    <>
      <Labelled
        elementId={fieldElementId(checkKey, choice.path ?? choice.variants.map((variant) => variant.value).join('-'))}
        label={choice.label}
        hint={taken?.hint ?? choice.hint}
        error={error}
        isWide
      >
        {(control) => (
          <Select
            {...control}
            className="sm:max-w-80"
            disabled={disabled}
            value={taken?.value ?? ''}
            onChange={(event) => onChange(choose(choice, event.target.value, value))}
          >
            {taken === undefined && <option value="">Choose…</option>}
            {choice.variants.map((variant) => (
              <option key={variant.value} value={variant.value}>
                {variant.title}
              </option>
            ))}
          </Select>
        )}
      </Labelled>
      {taken && <FieldsForm {...props} key={taken.value} fields={taken.fields} />}
    </>
  );
}

function OneField({
  field,
  checkKey,
  value,
  onChange,
  issues,
  disabled,
  lists,
}: FieldsFormProps & { field: ValueField }) {
  const own = valueAt(value, field.path);
  const set = (next: Json | undefined) => onChange(withValue(value, field.path, next));
  const error = issues.at(checkKey, field.path);
  const elementId = fieldElementId(checkKey, field.path);
  if (field.kind === 'switch' || field.kind === 'choices') {
    const boxes = field.kind === 'switch' ? [{ value: '', title: field.label }] : (field.options ?? []);
    const chosen = Array.isArray(own) ? own : [];
    return (
      <fieldset
        id={elementId}
        tabIndex={-1}
        disabled={disabled}
        aria-describedby={`${elementId}-about`}
        className="flex min-w-0 flex-col gap-1"
      >
        {field.kind === 'choices' && <legend className="mb-1 text-sm font-medium">{field.label}</legend>}
        {boxes.map((box) => (
          <label key={box.value} className="flex min-h-6 items-center gap-2 text-sm font-medium">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={field.kind === 'switch' ? own === true : chosen.includes(box.value)}
              onChange={({ target: { checked } }) => {
                if (field.kind === 'switch') set(checked);
                else
                  set(
                    boxes
                      .map((each) => each.value)
                      .filter((name) => (name === box.value ? checked : chosen.includes(name))),
                  );
              }}
            />
            {box.title}
          </label>
        ))}
        <div id={`${elementId}-about`} className="text-sm">
          {field.hint !== undefined && <p className="text-ink-soft">{field.hint}</p>}
          {error !== undefined && <p className="text-bad">{error}</p>}
        </div>
      </fieldset>
    );
  }
  const listId = field.suggest && lists[field.suggest];
  return (
    <Labelled
      elementId={elementId}
      label={field.label}
      hint={field.hint}
      error={error}
      isWide={field.wide === true}
      isGroup={field.kind === 'quiet_hours'}
    >
      {(control) => (
        <Control
          field={field}
          value={own}
          onChange={set}
          control={control}
          disabled={disabled}
          {...(listId !== undefined && { listId })}
        />
      )}
    </Labelled>
  );
}
