/** Finds room for the figures of calls: next to their edge, on no service and on no other label. */
import type { Way } from './edges.ts';
import { BOX, type Direction, type Position } from './types.ts';

export interface Label {
  lines: readonly string[];
  /** The edge it belongs to. */
  way: Way;
}

const CHARACTER = 6.6;
const LINE = 16;
const PADDING = 4;
/** Between a label and what it must not touch. */
const GAP = 3;

/** The size of a label, in drawing pixels. */
export const labelSize = ({ lines }: Pick<Label, 'lines'>) => ({
  width: CHARACTER * Math.max(0, ...lines.map(({ length }) => length)) + 2 * PADDING,
  height: LINE * lines.length + 2 * PADDING,
});

const SHARES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];

/**
 * @param boxes the centres of all services
 * @returns the centre of each label, in their order; undefined where there is no room
 */
export function placeLabels(
  labels: readonly Label[],
  boxes: readonly Position[],
  direction: Direction,
): (Position | undefined)[] {
  const taken: { centre: Position; width: number; height: number }[] = boxes.map((centre) => ({ centre, ...BOX }));
  return labels.map((label) => {
    const size = labelSize(label);
    const beside = size.height / 2 + GAP;
    const beyond = (BOX.height + size.height) / 2 + GAP + 1;
    // On a short horizontal edge, a label would hide it.
    const shifts = direction === 'right' ? [-beside, beside, -beyond, beyond, 0] : [0, -beside, beside];
    const places = shifts.flatMap((shift) =>
      SHARES.map((share): Position => {
        const { x, y } = label.way(share);
        return { x, y: y + shift };
      }),
    );
    const place = places.find((centre) =>
      taken.every(
        (other) =>
          Math.abs(other.centre.x - centre.x) >= (other.width + size.width) / 2 + GAP ||
          Math.abs(other.centre.y - centre.y) >= (other.height + size.height) / 2 + GAP,
      ),
    );
    if (place !== undefined) taken.push({ centre: place, ...size });
    return place;
  });
}
