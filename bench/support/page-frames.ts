/** How a page answers while something is done to it. Evaluated in the page; times are milliseconds. */
import type { Page } from 'playwright-core';

export interface Frames {
  /** Between one frame and the next, for each frame. */
  intervals: number[];
  /** Tasks that kept the page from answering for more than 50 ms. */
  longTasks: number[];
}

/** Begins to note frames and long tasks of a page. */
export const noteFrames = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const noted = { intervals: [], longTasks: [], stop: false };
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) noted.longTasks.push(duration);
    });
    observer.observe({ type: 'longtask' });
    let last = performance.now();
    const tick = (now) => {
      noted.intervals.push(now - last);
      last = now;
      if (!noted.stop) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    globalThis.notedFrames = noted;
  })()`);

/** Ends what {@link noteFrames} began. */
export const notedFrames = (page: Page): Promise<Frames> =>
  page.evaluate<Frames>(`(() => {
    globalThis.notedFrames.stop = true;
    return { intervals: globalThis.notedFrames.intervals.slice(1), longTasks: globalThis.notedFrames.longTasks };
  })()`);
