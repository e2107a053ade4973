/** When a check does not run. */
import { Plus, X } from 'lucide-react';
import { Button } from '../../../components/ui/button.tsx';
import { Input } from '../../../components/ui/field.tsx';
import type { ControlProps } from './control.tsx';
import { isObject, type Json, type JsonObject } from './json.ts';

const DAYS = [
  ['mon', 'Mon'],
  ['tue', 'Tue'],
  ['wed', 'Wed'],
  ['thu', 'Thu'],
  ['fri', 'Fri'],
  ['sat', 'Sat'],
  ['sun', 'Sun'],
] as const;

export function QuietHoursControl({ field, value, onChange, control, disabled }: ControlProps) {
  const hours = Array.isArray(value) ? value.filter(isObject) : [];
  const change = (index: number, next: JsonObject) => onChange(hours.with(index, next));
  // A group is described by its issue but not invalid itself.
  const { 'aria-invalid': _, ...group } = control;
  return (
    <div {...group} role="group" aria-label={field.label} tabIndex={-1} className="flex flex-col gap-2">
      {hours.map((each, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they have nothing else to be told apart by
        <div key={index} className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border p-2">
          {(['from', 'to'] as const).map((end) => (
            <label key={end} className="flex items-center gap-1.5 text-sm">
              {end === 'from' ? 'From' : 'to'}
              <Input
                className="w-20!"
                aria-label={`Quiet hours ${index + 1}, ${end}`}
                placeholder="22:00"
                disabled={disabled}
                value={textOf(each[end])}
                onChange={(event) => change(index, { ...each, [end]: event.target.value })}
              />
            </label>
          ))}
          <Days index={index} hours={each} disabled={disabled} onChange={(next) => change(index, next)} />
          <Button
            variant="quiet"
            size="small"
            icon
            className="ml-auto"
            disabled={disabled}
            aria-label={`Remove quiet hours ${index + 1}`}
            onClick={() => onChange(hours.toSpliced(index, 1))}
          >
            <X aria-hidden size={16} />
          </Button>
        </div>
      ))}
      <div>
        <Button
          size="small"
          disabled={disabled || hours.length >= 10}
          onClick={() => onChange([...hours, { from: '22:00', to: '06:00' }])}
        >
          <Plus aria-hidden size={14} /> Add quiet hours
        </Button>
      </div>
    </div>
  );
}

interface DaysProps {
  index: number;
  hours: JsonObject;
  disabled: boolean;
  onChange: (hours: JsonObject) => void;
}

/** No days listed means every day. */
function Days({ index, hours, disabled, onChange }: DaysProps) {
  const named = Array.isArray(hours['days']) ? hours['days'].map(textOf) : undefined;
  const toggle = (day: string, isOn: boolean): void => {
    const now = new Set(named ?? DAYS.map(([name]) => name));
    if (isOn) now.add(day);
    else now.delete(day);
    const { days: _, ...rest } = hours;
    const days = DAYS.map(([name]) => name).filter((name) => now.has(name));
    onChange(days.length === DAYS.length ? rest : { ...rest, days });
  };
  return (
    <fieldset
      className="order-last flex basis-full flex-wrap sm:order-none sm:basis-auto gap-x-2.5 gap-y-1"
      disabled={disabled}
    >
      <legend className="sr-only">Days on which quiet hours {index + 1} begin</legend>
      {DAYS.map(([day, title]) => (
        <label key={day} className="flex min-h-6 items-center gap-1 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={named?.includes(day) ?? true}
            onChange={(event) => toggle(day, event.target.checked)}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
