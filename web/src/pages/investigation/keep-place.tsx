import { Component, createRef, type ReactNode } from 'react';

interface KeepPlaceProps {
  /** A change means that something above appears or disappears. */
  on: unknown;
  children: ReactNode;
}

interface Place {
  element: Element;
  top: number;
}

/**
 * A list that keeps the item at the top of the window in place when something appears above it. Browsers do this only
 * partly (scroll anchoring), Safari not at all. Readers who have not scrolled see the new content instead.
 */
export class KeepPlace extends Component<KeepPlaceProps> {
  readonly #box = createRef<HTMLDivElement>();

  override getSnapshotBeforeUpdate(before: KeepPlaceProps): Place | null {
    if (before.on === this.props.on || scrollY === 0) return null;
    const items = [...(this.#box.current?.querySelectorAll('li') ?? [])];
    const element = items.find((item) => item.getBoundingClientRect().bottom > 0);
    return element === undefined ? null : { element, top: element.getBoundingClientRect().top };
  }

  override componentDidUpdate(_before: KeepPlaceProps, _state: unknown, place: Place | null): void {
    if (place === null || place.top > innerHeight) return;
    const { style } = document.documentElement;
    style.overflowAnchor = 'none';
    scrollBy({ top: place.element.getBoundingClientRect().top - place.top, behavior: 'instant' });
    requestAnimationFrame(() => {
      style.overflowAnchor = '';
    });
  }

  override render(): ReactNode {
    return <div ref={this.#box}>{this.props.children}</div>;
  }
}
