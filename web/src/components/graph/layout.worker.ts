/** Lays out bigger graphs beside the page. */
import { layOut } from './lay-out.ts';
import type { LayoutRequest } from './layered.ts';

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => postMessage(layOut(data)));
