/** The keys of a message field, the same wherever something is sent. */
import type { KeyboardEvent } from 'react';

/** Touch keyboards have no Shift+Enter. */
export const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

/**
 * Enter sends and Shift+Enter inserts a line break; on a touch screen Enter inserts one and the button sends.
 * @param send does nothing while nothing can be sent
 * @example <textarea onKeyDown={sendOnEnter(send)} />
 */
export const sendOnEnter =
  (send: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.nativeEvent.isComposing || isTouch()) return;
    event.preventDefault();
    send();
  };
