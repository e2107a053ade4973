/** A timeout that does not run while the work waits for something else. */
export interface PausableTimeout extends Disposable {
  /** Fires once `ms` have passed outside of pauses. */
  readonly signal: AbortSignal;
  /** Pauses may overlap; the time runs on when the last one is disposed. */
  pause(): Disposable;
}

/** @param ms milliseconds until the signal fires, pauses excluded */
export function pausableTimeout(ms: number): PausableTimeout {
  const controller = new AbortController();
  let left = ms;
  let pauses = 0;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => {
    startedAt = performance.now();
    timer = setTimeout(() => controller.abort(new DOMException('The time is over', 'TimeoutError')), left);
  };
  const stop = (): void => {
    clearTimeout(timer);
    left -= performance.now() - startedAt;
  };
  run();
  return {
    signal: controller.signal,
    pause() {
      if (pauses++ === 0) stop();
      let isOver = false;
      return {
        [Symbol.dispose]() {
          if (isOver) return;
          isOver = true;
          if (--pauses === 0) run();
        },
      };
    },
    [Symbol.dispose]() {
      pauses = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
    },
  };
}
