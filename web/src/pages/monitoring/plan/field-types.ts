/** Describes forms. Paths start at the check. */
import type { Json } from './json.ts';

/** Suggestions while typing; anything else is accepted too. */
export type Suggestion = 'source' | 'service' | 'metric' | 'tool' | 'time_zone';

interface Described {
  label: string;
  hint?: string;
}

export interface ValueField extends Described {
  kind:
    | 'text'
    | 'multiline'
    | 'code'
    | 'number'
    | 'duration'
    | 'select'
    | 'switch'
    | 'lines'
    | 'labels'
    | 'json'
    | 'scalar'
    | 'choices'
    | 'quiet_hours';
  path: string;
  /** The value of a new check; absent to omit it. */
  standard?: Json;
  /** For a select or choices. */
  options?: readonly { value: string; title: string }[];
  suggest?: Suggestion;
  /** For a number, or a duration in seconds. */
  least?: number;
  most?: number;
  /** Whether a number may have a fraction. */
  whole?: boolean;
  /** Whether it spans the form. */
  wide?: boolean;
}

/** One of several variants, each with fields of its own. */
export interface Choice extends Described {
  kind: 'choice';
  /** The property that names the variant; if absent, the variant is the one whose `value`, a path, exists. */
  path?: string;
  variants: readonly Variant[];
}

export interface Variant {
  value: string;
  title: string;
  hint?: string;
  fields: readonly Field[];
}

export type Field = ValueField | Choice;

export interface FieldGroup {
  title: string;
  fields: readonly Field[];
}
