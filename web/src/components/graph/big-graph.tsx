/** A graph of thousands of services on a canvas. The table below holds the same information. */
import { useEffect, useImperativeHandle, useMemo, useRef, useState, type PointerEvent } from 'react';
import { centred, fitted, zoomed, type Camera } from './camera.ts';
import { draw, type Scene } from './draw.ts';
import { LaidOut, type Places } from './laid-out.tsx';
import { BOX } from './types.ts';
import type { DrawingProps } from './view.ts';

export const BigGraph = (props: DrawingProps) => (
  <LaidOut graph={props.graph}>{(places) => <Canvas {...props} {...places} />}</LaidOut>
);

/** A press that moves less than this is a click. */
const STILL = 4;
const REST_MS = 120;

function Canvas({ ref, graph, selected, found, onSelect, label, positions, direction }: DrawingProps & Places) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const camera = useRef<Camera>(undefined);
  const frame = useRef(0);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const press = useRef<{ x: number; y: number; hasMoved: boolean }>(undefined);
  const [isHeld, setIsHeld] = useState(false);
  const index = useMemo(() => new Map(graph.services.map(({ name }, at) => [name, at])), [graph]);
  const scene = useRef<Scene>(undefined);

  const paint = useMemo(() => {
    const paint = (isMoving = false): void => {
      clearTimeout(rest.current);
      // Draw what was left out during movement once it rests.
      if (isMoving) rest.current = setTimeout(paint, REST_MS);
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => {
        const element = canvas.current;
        const context = element?.getContext('2d');
        if (!element || !context || scene.current === undefined) return;
        const size = { width: element.clientWidth, height: element.clientHeight };
        const ratio = devicePixelRatio;
        if (element.width !== Math.round(size.width * ratio) || element.height !== Math.round(size.height * ratio)) {
          element.width = Math.round(size.width * ratio);
          element.height = Math.round(size.height * ratio);
        }
        camera.current ??= fitted(scene.current.positions, size);
        draw(context, { ...scene.current, isMoving }, camera.current, size);
      });
    };
    return paint;
  }, []);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const style = getComputedStyle(element);
    const colours = new Map<string, string>();
    const colour = (name: string): string => {
      const known = colours.get(name) ?? style.getPropertyValue(name);
      colours.set(name, known);
      return known;
    };
    if (scene.current?.positions !== positions) camera.current = undefined;
    scene.current = {
      graph,
      positions,
      index,
      direction,
      selected,
      found,
      colour,
      font: style.fontFamily,
      isMoving: false,
    };
    paint();
    return undefined;
  }, [graph, positions, index, direction, selected, found, paint]);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => paint());
    observer.observe(element);
    // React attaches passive wheel listeners; zooming here must not zoom the page.
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      if (camera.current === undefined) return;
      camera.current = zoomed(camera.current, Math.exp(-event.deltaY / 200), { x: event.offsetX, y: event.offsetY });
      paint(true);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
      cancelAnimationFrame(frame.current);
      clearTimeout(rest.current);
    };
  }, [paint]);

  useImperativeHandle(ref, () => {
    const size = () => ({ width: canvas.current?.clientWidth ?? 0, height: canvas.current?.clientHeight ?? 0 });
    const move = (to: (from: Camera) => Camera): void => {
      if (camera.current !== undefined) camera.current = to(camera.current);
      paint(true);
    };
    return {
      zoom: (by) => move((from) => zoomed(from, by, { x: size().width / 2, y: size().height / 2 })),
      pan: (x, y) => move((from) => ({ ...from, x: from.x + x, y: from.y + y })),
      fit: () => move(() => fitted(positions, size())),
      goTo: (name) =>
        move((from) => centred(positions[index.get(name) ?? -1] ?? from, size(), Math.max(from.zoom, 0.8))),
    };
  }, [positions, index, paint]);

  const serviceAt = (event: PointerEvent): string | undefined => {
    const { x = 0, y = 0, zoom = 1 } = camera.current ?? {};
    const at = { x: (event.nativeEvent.offsetX - x) / zoom, y: (event.nativeEvent.offsetY - y) / zoom };
    const hit = positions.findIndex(
      (each) => Math.abs(each.x - at.x) <= BOX.width / 2 && Math.abs(each.y - at.y) <= BOX.height / 2,
    );
    return graph.services[hit]?.name;
  };
  return (
    // Keys are handled on the container, wherever the focus is inside.
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="application"
      aria-label={`${label}: ${graph.services.length} services, ${graph.calls.length} calls. Arrow keys move, plus and minus zoom.`}
      className="size-full -outline-offset-2"
    >
      <canvas
        ref={canvas}
        aria-hidden
        className={`block size-full touch-none ${isHeld ? 'cursor-grabbing' : 'cursor-grab'}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          press.current = { x: event.clientX, y: event.clientY, hasMoved: false };
          setIsHeld(true);
        }}
        onPointerMove={(event) => {
          const from = press.current;
          if (from === undefined || camera.current === undefined) return;
          const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
          if (!from.hasMoved && Math.hypot(dx, dy) < STILL) return;
          press.current = { x: event.clientX, y: event.clientY, hasMoved: true };
          camera.current = { ...camera.current, x: camera.current.x + dx, y: camera.current.y + dy };
          paint(true);
        }}
        onPointerUp={(event) => {
          const name = press.current?.hasMoved === false ? serviceAt(event) : undefined;
          press.current = undefined;
          setIsHeld(false);
          if (name !== undefined) onSelect(name);
        }}
      />
    </div>
  );
}
