/** Fields shared by several kinds of checks. */
import type { Choice, ValueField, Variant } from './field-types.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const COMPARISONS = ['>', '>=', '<', '<=', '==', '!='].map((value) => ({ value, title: value }));

export const source: ValueField = {
  kind: 'text',
  path: 'check.source',
  label: 'Source',
  hint: 'The telemetry source, for example prometheus.',
  suggest: 'source',
  standard: '',
};

export const service = (path: string, label: string, hint?: string): ValueField => ({
  kind: 'text',
  path,
  label,
  suggest: 'service',
  ...(hint !== undefined && { hint }),
});

export const windowed = (path = 'check.window_seconds'): ValueField => ({
  kind: 'duration',
  path,
  label: 'Window',
  hint: 'How far back each run looks.',
  standard: 5 * MINUTE,
  least: 10,
  most: DAY,
});

export const history = (path: string, least: number, most: number): ValueField => ({
  kind: 'duration',
  path,
  label: 'History',
  hint: 'How far back normal is learned from.',
  standard: HOUR,
  least,
  most,
});

export const comparison: ValueField = {
  kind: 'select',
  path: 'check.condition.operator',
  label: 'Alert when value',
  options: COMPARISONS,
  standard: '>',
};

export const conditions = (variants: readonly Variant[]): Choice => ({
  kind: 'choice',
  path: 'check.condition.type',
  label: 'Condition',
  variants,
});

export function deviations(path: string, standard: number): ValueField {
  return {
    kind: 'number',
    path,
    label: 'Deviations (σ)',
    hint: 'Alert at this distance from the median, in robust standard deviations.',
    standard,
    least: 1,
    most: 100,
  };
}
