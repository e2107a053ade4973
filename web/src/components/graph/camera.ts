/** Which part of a drawing is visible. */
import { BOX, type Position } from './types.ts';

export interface Camera {
  /** Screen position of the drawing's origin, in pixels. */
  x: number;
  y: number;
  /** Screen pixels per drawing unit. */
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

const LEAST = 0.02;
const MOST = 2;
const MARGIN = 24;

interface Bounds {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function boundsOf(positions: readonly Position[]): Bounds | undefined {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of positions) {
    left = Math.min(left, x - BOX.width / 2);
    right = Math.max(right, x + BOX.width / 2);
    top = Math.min(top, y - BOX.height / 2);
    bottom = Math.max(bottom, y + BOX.height / 2);
  }
  return left > right ? undefined : { left, right, top, bottom };
}

const middleOf = ({ left, right, top, bottom }: Bounds): Position => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/** The zoom at which all of a drawing is in view. */
const wholeZoom = ({ left, right, top, bottom }: Bounds, { width, height }: Size): number =>
  Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top));

/** Fits the whole drawing into the screen. */
export function fitted(positions: readonly Position[], size: Size): Camera {
  const bounds = boundsOf(positions);
  if (bounds === undefined) return { x: 0, y: 0, zoom: 1 };
  return centred(middleOf(bounds), size, Math.min(Math.max(wholeZoom(bounds, size), LEAST), 1));
}

/** The zooms at which names are easy to read. */
const READABLE = { least: 0.85, most: 1.25 } as const;

/**
 * The view in which a graph opens: all of it where its names are readable then, otherwise the part around some services,
 * as full as can be.
 * @param focus the positions of those services; if they do not fit either, the first counts; by default the middle
 */
export function opening(positions: readonly Position[], size: Size, focus: readonly Position[] = positions): Camera {
  const bounds = boundsOf(positions);
  if (bounds === undefined) return { x: 0, y: 0, zoom: 1 };
  const zoom = Math.min(Math.max(wholeZoom(bounds, size), READABLE.least), READABLE.most);
  const along = (low: number, high: number, at: number, room: number): number => {
    const [begin, end] = [MARGIN - low * zoom, room - MARGIN - high * zoom];
    // It fits; or its edge is at most the margin away from the edge of the view.
    return begin <= end ? (begin + end) / 2 : Math.min(begin, Math.max(end, room / 2 - at * zoom));
  };
  const { left, right, top, bottom } = bounds;
  const near = boundsOf(focus) ?? bounds;
  const fits = wholeZoom(near, size) >= zoom;
  const { x, y } = (!fits && focus !== positions && focus[0]) || middleOf(near);
  return { x: along(left, right, x, size.width), y: along(top, bottom, y, size.height), zoom };
}

/** Moves a view no further than it takes to show all of one service. */
export function showing({ x, y }: Position, { width, height }: Size, { zoom, ...origin }: Camera): Camera {
  const along = (from: number, at: number, length: number, room: number): number => {
    const reach = (length / 2) * zoom + MARGIN;
    return from + Math.min(Math.max(from + at * zoom, reach), Math.max(room - reach, reach)) - (from + at * zoom);
  };
  return { x: along(origin.x, x, BOX.width, width), y: along(origin.y, y, BOX.height, height), zoom };
}

/** Zooms around a fixed screen point. */
export function zoomed({ x, y, zoom }: Camera, by: number, at: Position): Camera {
  const next = Math.min(Math.max(zoom * by, LEAST), MOST);
  const factor = next / zoom;
  return { x: at.x - (at.x - x) * factor, y: at.y - (at.y - y) * factor, zoom: next };
}

/** Centres a point of the drawing. */
export const centred = ({ x, y }: Position, { width, height }: Size, zoom: number): Camera => ({
  x: width / 2 - x * zoom,
  y: height / 2 - y * zoom,
  zoom,
});
