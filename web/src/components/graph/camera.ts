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

/** Fits the whole drawing into the screen. */
export function fitted(positions: readonly Position[], { width, height }: Size): Camera {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of positions) {
    left = Math.min(left, x - BOX.width / 2);
    right = Math.max(right, x + BOX.width / 2);
    top = Math.min(top, y - BOX.height / 2);
    bottom = Math.max(bottom, y + BOX.height / 2);
  }
  if (left > right) return { x: 0, y: 0, zoom: 1 };
  const fit = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top), 1);
  const zoom = Math.max(fit, LEAST);
  return { x: width / 2 - ((left + right) / 2) * zoom, y: height / 2 - ((top + bottom) / 2) * zoom, zoom };
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
