/** Whether a number in a result is one the text states. */
import type { Interval, Quantity } from './quantities.ts';
import type { Dimension, Unit } from './units.ts';

/** How well a number agrees: nearly (1), or within the rounding shown (2). */
export type Agreement = 1 | 2;

/** Where the unit of a number comes from: the number itself, or its name. */
export type UnitPlace = 'suffix' | 'name';

interface Range {
  low: number;
  high: number;
  agreement: Agreement;
}

/** Scales at which telemetry omits the unit, with the agreement they can reach. */
const SILENT: Record<Dimension, readonly (readonly [scale: number, most: Agreement])[]> = {
  time: [
    [1, 2],
    [1e-3, 2],
    [60, 1],
    [1e-6, 1],
    [1e-9, 1],
  ],
  ratio: [
    [1, 2],
    [0.01, 2],
  ],
  bytes: [
    [1, 2],
    [1e6, 1],
    [1024 ** 2, 1],
    [1e9, 1],
    [1024 ** 3, 1],
  ],
  count: [[1, 2]],
};

/** The values, as written with a unit, that agree with a quantity. */
function rangesFor(quantity: Quantity, unit: Unit | undefined, place: UnitPlace): Range[] {
  const { dimension, exact, near, digits } = quantity;
  const within = (intervals: readonly Interval[], scale: number, agreement: Agreement): Range[] =>
    // Products of decimal fractions miss their bounds by a binary rounding error.
    intervals.map(([low, high]) => ({
      low: (low / scale) * (1 - 1e-9),
      high: (high / scale) * (1 + 1e-9),
      agreement,
    }));
  const under = (scale: number, most: Agreement = 2): Range[] => [
    ...within(exact, scale, most),
    ...within(near, scale, 1),
  ];

  if (dimension === undefined) {
    if (!unit) return under(1);
    const scaled = unit.scales.flatMap((scale) => under(scale));
    if (unit.dimension === 'count') return scaled;
    if (unit.dimension === 'bytes') return [...scaled, ...under(1)];
    if (place === 'name') return under(1);
    // Kubernetes writes millicores the way it writes minutes; 2312 may mean "2312 ms", but 17 does not mean "17m".
    return [...(unit.scales[0] === 60 ? within(exact, 1e-3, 2) : []), ...(digits >= 3 ? within(exact, 1, 1) : [])];
  }
  if (!unit) return SILENT[dimension].flatMap(([scale, most]) => under(scale, most));
  if (unit.dimension === dimension) return unit.scales.flatMap((scale) => under(scale));
  // 97G in a table may be bytes.
  const multiple = unit.dimension === 'count' && dimension === 'bytes' && (unit.scales[0] ?? 1) > 1;
  const scales = multiple ? unit.scales.flatMap((scale) => [scale, 1024 ** Math.round(Math.log10(scale) / 3)]) : [];
  return scales.flatMap((scale) => under(scale));
}

interface Entry extends Range {
  term: number;
}

/** Ranges indexed by the binary orders of magnitude they reach into. */
type Buckets = Map<number, Entry[]>;

const ZERO = -100;
const orderOf = (value: number): number => (value <= 0 ? ZERO : Math.max(ZERO, Math.floor(Math.log2(value))));

/** The quantities of a query, indexed because a result may have millions of numbers to look up. */
export class QuantityIndex {
  readonly #quantities: readonly { term: number; quantity: Quantity }[];
  readonly #buckets: Record<UnitPlace, Map<Unit | undefined, Buckets>> = { suffix: new Map(), name: new Map() };

  constructor(quantities: readonly { term: number; quantity: Quantity }[]) {
    this.#quantities = quantities;
  }

  /** Calls `note` for each quantity that agrees with a number. */
  find(
    value: number,
    unit: Unit | undefined,
    place: UnitPlace,
    note: (term: number, agreement: Agreement) => void,
  ): void {
    if (this.#quantities.length === 0) return;
    const magnitude = Math.abs(value);
    const entries = this.#bucketsFor(unit, place).get(orderOf(magnitude));
    if (!entries) return;
    for (const { low, high, term, agreement } of entries)
      if (magnitude >= low && magnitude <= high) note(term, agreement);
  }

  #bucketsFor(unit: Unit | undefined, place: UnitPlace): Buckets {
    const known = this.#buckets[place].get(unit);
    if (known) return known;
    const buckets: Buckets = new Map();
    for (const { term, quantity } of this.#quantities) {
      for (const range of rangesFor(quantity, unit, place)) {
        for (let order = orderOf(range.low); order <= orderOf(range.high); order++) {
          const entries = buckets.get(order) ?? [];
          entries.push({ ...range, term });
          buckets.set(order, entries);
        }
      }
    }
    this.#buckets[place].set(unit, buckets);
    return buckets;
  }
}
