/** Lays out larger graphs off the main thread. */
import { layOut } from './lay-out.ts';
import type { LayoutRequest } from './layered.ts';

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => postMessage(layOut(data)));
