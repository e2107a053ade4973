/** The comparisons of thresholds. */
type Comparison = '>' | '>=' | '<' | '<=' | '==' | '!=';

/** Compares two values of one kind; texts by code unit, which suits ISO times. */
export function compare<T extends number | string | boolean>(left: T, operator: Comparison, right: T): boolean {
  switch (operator) {
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '==':
      return left === right;
    default:
      return left !== right;
  }
}

/** The comparison in words, between a value and its limit. */
export const inWords: Readonly<Record<Comparison, string>> = {
  '>': 'above',
  '>=': 'at or above',
  '<': 'below',
  '<=': 'at or below',
  '==': 'equal to',
  '!=': 'not',
};
