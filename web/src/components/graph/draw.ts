/** Draws a large graph on a canvas: only what is in view, with less detail the further away it is. */
import type { Camera, Size } from './camera.ts';
import { ROLES } from './roles.ts';
import { BOX, type Direction, type Graph, type GraphCall, type GraphService, type Position } from './types.ts';
import { endsOf, onLine } from './edges.ts';
import { labelSize, placeLabels, type Label } from './labels.ts';
import { figuresOf, shownName } from './words.ts';

export interface Scene {
  graph: Graph;
  positions: readonly Position[];
  index: ReadonlyMap<string, number>;
  direction: Direction;
  selected: string | undefined;
  found: ReadonlySet<string>;
  /** By the name of a CSS custom property. */
  colour: (name: string) => string;
  font: string;
  /** While dragging or zooming, a sample of the edges is enough. */
  isMoving: boolean;
}

/** Below these scales, names and figures are unreadable. */
const NAMES_FROM = 0.4;
const FIGURES_FROM = 0.5;
/** Edges of one style drawn while the drawing moves. */
const MAX_MOVING = 800;

export function draw(context: CanvasRenderingContext2D, scene: Scene, camera: Camera, size: Size): void {
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.setTransform(ratio * camera.zoom, 0, 0, ratio * camera.zoom, ratio * camera.x, ratio * camera.y);
  const near: Box = {
    left: -camera.x / camera.zoom - BOX.width,
    right: (size.width - camera.x) / camera.zoom + BOX.width,
    top: -camera.y / camera.zoom - BOX.height,
    bottom: (size.height - camera.y) / camera.zoom + BOX.height,
  };
  const { calls, services } = scene.graph;
  const isChosen = ({ caller, callee }: GraphCall): boolean => caller === scene.selected || callee === scene.selected;
  const strokes: Stroke[] = [
    {
      colour: '--line-strong',
      width: 1.25,
      alpha: alphaOf(scene, camera),
      wants: (call) => !call.onFaultPath && !isChosen(call),
    },
    { colour: '--accent', width: 2, alpha: 1, wants: (call) => !call.onFaultPath && isChosen(call) },
    { colour: '--bad', width: 4, alpha: 1, wants: (call) => call.onFaultPath === true },
  ];
  for (const stroke of strokes) {
    const wanted = calls.filter(stroke.wants);
    const every = scene.isMoving ? Math.ceil(wanted.length / MAX_MOVING) : 1;
    const some = every === 1 ? wanted : wanted.filter((_, at) => at % every === 0);
    drawCalls(context, scene, camera, near, some, stroke);
  }
  for (const [at, service] of services.entries()) {
    const position = scene.positions[at];
    if (position !== undefined && holds(near, position)) drawService(context, scene, camera, service, position);
  }
  if (camera.zoom >= FIGURES_FROM) drawFigures(context, scene, near, calls.filter(isChosen));
}

/** The more edges there are on screen, the fainter each one is. */
function alphaOf({ graph: { calls }, selected }: Scene, { zoom }: Camera): number {
  const crowded = calls.length < 500 ? 0.6 : zoom < 0.3 ? 0.18 : 0.35;
  return selected === undefined ? crowded : crowded / 2;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
const holds = ({ left, right, top, bottom }: Box, { x, y }: Position): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

interface Stroke {
  colour: string;
  width: number;
  alpha: number;
  wants: (call: GraphCall) => boolean;
}

function ends({ positions, index, direction }: Scene, { caller, callee }: GraphCall): [Position, Position] | undefined {
  const from = positions[index.get(caller) ?? -1];
  const to = positions[index.get(callee) ?? -1];
  if (from === undefined || to === undefined) return undefined;
  return endsOf(from, to, direction);
}

/** Stroking one path of thousands of crossing edges costs more than many short paths. */
const LINES_IN_PATH = 32;

function drawCalls(
  context: CanvasRenderingContext2D,
  scene: Scene,
  { zoom }: Camera,
  near: Box,
  calls: readonly GraphCall[],
  { colour, width, alpha }: Stroke,
): void {
  const arrow = Math.max(8, 5 / zoom);
  const hasHeads = zoom >= 0.2 || colour !== '--line-strong';
  context.globalAlpha = alpha;
  context.strokeStyle = context.fillStyle = scene.colour(colour);
  // Edges stay visible from far away.
  context.lineWidth = Math.max(width, (width * 0.5) / zoom);
  let lines = 0;
  context.beginPath();
  for (const call of calls) {
    const [from, to] = ends(scene, call) ?? [];
    if (from === undefined || to === undefined || !crosses(near, from, to)) continue;
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    if (hasHeads && holds(near, to)) {
      const angle = Math.atan2(to.y - from.y, to.x - from.x);
      context.moveTo(to.x - arrow * Math.cos(angle - 0.4), to.y - arrow * Math.sin(angle - 0.4));
      context.lineTo(to.x, to.y);
      context.lineTo(to.x - arrow * Math.cos(angle + 0.4), to.y - arrow * Math.sin(angle + 0.4));
    }
    if (++lines % LINES_IN_PATH === 0) {
      context.stroke();
      context.beginPath();
    }
  }
  context.stroke();
  context.globalAlpha = 1;
}

/** Whether a segment enters a box, by the slab method. */
function crosses({ left, right, top, bottom }: Box, from: Position, to: Position): boolean {
  let [enter, leave] = [0, 1];
  for (const [start, step, low, high] of [
    [from.x, to.x - from.x, left, right],
    [from.y, to.y - from.y, top, bottom],
  ] as const) {
    if (step === 0) {
      if (start < low || start > high) return false;
      continue;
    }
    const [a, b] = [(low - start) / step, (high - start) / step];
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  }
  return enter <= leave;
}

function drawService(
  context: CanvasRenderingContext2D,
  { colour, found, selected, font }: Scene,
  { zoom }: Camera,
  service: GraphService,
  { x, y }: Position,
): void {
  const { role = 'related', name } = service;
  const { ground, ink, border, word } = ROLES[role];
  context.globalAlpha = found.size > 0 && !found.has(name) ? 0.3 : 1;
  context.fillStyle = colour(role === 'related' || zoom > 0.15 ? ground : ink);
  context.strokeStyle = colour(role === 'related' ? '--line-strong' : ink);
  context.lineWidth = Math.max(border, border / 2 / zoom);
  context.setLineDash(role === 'affected' ? [6, 4] : []);
  context.beginPath();
  context.roundRect(x - BOX.width / 2, y - BOX.height / 2, BOX.width, BOX.height, role === 'alerting' ? 18 : 6);
  context.fill();
  context.stroke();
  context.setLineDash([]);
  if (name === selected) {
    context.strokeStyle = colour('--accent');
    context.lineWidth = Math.max(4, 3 / zoom);
    context.strokeRect(x - BOX.width / 2 - 5, y - BOX.height / 2 - 5, BOX.width + 10, BOX.height + 10);
  }
  if (zoom >= NAMES_FROM) {
    context.fillStyle = colour(ink === '--warn' && role === 'affected' ? '--ink' : ink);
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.font = `500 14px ${font}`;
    const hasWord = word !== '';
    context.fillText(shownName(name, 21), x - BOX.width / 2 + 10, y - (hasWord ? 8 : 0), BOX.width - 20);
    context.font = `12px ${font}`;
    if (hasWord) context.fillText(word, x - BOX.width / 2 + 10, y + 11, BOX.width - 20);
  }
  context.globalAlpha = 1;
}

function drawFigures(context: CanvasRenderingContext2D, scene: Scene, near: Box, calls: readonly GraphCall[]): void {
  const labels = calls.flatMap((call): Label[] => {
    const found = ends(scene, call);
    const lines = figuresOf(call);
    return found === undefined || lines.length === 0 ? [] : [{ lines, way: onLine(found) }];
  });
  const boxes = scene.positions.filter((position) => holds(near, position));
  const places = placeLabels(labels, boxes, scene.direction);
  context.font = `12px ${scene.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const [index, label] of labels.entries()) {
    const place = places[index];
    if (place === undefined) continue;
    const { width, height } = labelSize(label);
    context.fillStyle = scene.colour('--surface');
    context.fillRect(place.x - width / 2, place.y - height / 2, width, height);
    context.fillStyle = scene.colour('--ink');
    for (const [line, words] of label.lines.entries())
      context.fillText(words, place.x, place.y + (line - (label.lines.length - 1) / 2) * 16, width);
  }
}
