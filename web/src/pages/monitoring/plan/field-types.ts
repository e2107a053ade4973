/** What a form can be made of. Paths begin in the check. */
import type { Json } from './json.ts';

/** What is offered while one writes; anything else may be written all the same. */
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
  /** What a new check begins with; absent: without it. */
  standard?: Json;
  /** Of a select or of choices. */
  options?: readonly { value: string; title: string }[];
  suggest?: Suggestion;
  /** Of a number, or of a length of time in seconds. */
  least?: number;
  most?: number;
  /** Whether a number may have a fraction. */
  whole?: boolean;
  /** Whether it takes the whole width of the form. */
  wide?: boolean;
}

/** One of several ways to say something, each with fields of its own. */
export interface Choice extends Described {
  kind: 'choice';
  /** The member that names the way; absent: the way is that whose `value`, a path, is there. */
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
