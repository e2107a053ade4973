/** Where the edge of a call runs between two boxes. */
import { BOX, type Direction, type Position } from './types.ts';

/** The points at which an edge leaves its caller and meets its callee. */
export function endsOf(from: Position, to: Position, direction: Direction): [from: Position, to: Position] {
  return direction === 'right'
    ? [
        { x: from.x + BOX.width / 2, y: from.y },
        { x: to.x - BOX.width / 2, y: to.y },
      ]
    : [
        { x: from.x, y: from.y + BOX.height / 2 },
        { x: to.x, y: to.y - BOX.height / 2 },
      ];
}

/** Points by their share of the way, 0 to 1. */
export type Way = (share: number) => Position;

export const onLine =
  ([from, to]: readonly [Position, Position]): Way =>
  (share) => ({ x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) });

/** React Flow's curvature: how far a backward edge swings out. */
const SWING = 6.25;
const swing = (distance: number): number => (distance >= 0 ? 0.5 * distance : SWING * Math.sqrt(-distance));

/** The cubic Bézier curve that React Flow draws between two ends. */
export function onCurve([from, to]: readonly [Position, Position], direction: Direction): Way {
  const reach = direction === 'right' ? swing(to.x - from.x) : swing(to.y - from.y);
  const [first, second] =
    direction === 'right'
      ? [
          { x: from.x + reach, y: from.y },
          { x: to.x - reach, y: to.y },
        ]
      : [
          { x: from.x, y: from.y + reach },
          { x: to.x, y: to.y - reach },
        ];
  return (share) => {
    const rest = 1 - share;
    const mixed = (axis: 'x' | 'y'): number =>
      rest ** 3 * from[axis] +
      3 * rest ** 2 * share * first[axis] +
      3 * rest * share ** 2 * second[axis] +
      share ** 3 * to[axis];
    return { x: mixed('x'), y: mixed('y') };
  };
}
