/** A duration as a number and a unit. Stored in seconds. */
import { useState } from 'react';
import { Input, Select } from '../../../components/ui/field.tsx';
import type { ControlProps } from './control.tsx';
import { UNITS, unitOf } from './words.ts';

export function DurationControl({ field, value, onChange, control, disabled }: ControlProps) {
  const seconds = typeof value === 'number' ? value : undefined;
  const [unit, setUnit] = useState(() => unitOf(seconds ?? 60));
  const [text, setText] = useState(() => shownIn(value, unit.seconds));
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    if (written(text, unit.seconds) !== value) {
      const fitting = unitOf(seconds ?? 60);
      setUnit(fitting);
      setText(shownIn(value, fitting.seconds));
    }
  }
  const write = (next: string, inUnit: (typeof UNITS)[number]): void => {
    setText(next);
    setUnit(inUnit);
    onChange(written(next, inUnit.seconds));
  };
  return (
    <div className="flex gap-2">
      <Input
        {...control}
        disabled={disabled}
        inputMode="decimal"
        autoComplete="off"
        className="min-w-0 flex-1"
        value={text}
        onChange={(event) => write(event.target.value, unit)}
      />
      <Select
        aria-label={`Unit of ${field.label}`}
        disabled={disabled}
        className="w-auto!"
        value={unit.seconds}
        onChange={(event) => write(text, UNITS.find((each) => each.seconds === Number(event.target.value)) ?? unit)}
      >
        {UNITS.map(({ seconds: size, several }) => (
          <option key={size} value={size}>
            {several}
          </option>
        ))}
      </Select>
    </div>
  );
}

const shownIn = (value: unknown, unitSeconds: number): string =>
  typeof value === 'number' ? String(value / unitSeconds) : typeof value === 'string' ? value : '';

/** @returns seconds; anything but a number stays text, for the API to refuse */
function written(text: string, unitSeconds: number): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const number = Number(trimmed);
  // 0.1 minutes are 6 seconds, not 6.000000000000001.
  return Number.isFinite(number) ? Number((number * unitSeconds).toPrecision(12)) : trimmed;
}
