/** A stored tool result, fetched page by page from its start, as far as needed. */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { Lines } from './lines.ts';

type ToolResult = Schema<'ToolResultResponse'>;

/** The most the API returns at once; processing it takes tens of milliseconds. */
const PAGE = 1_000_000;
const ASK_AGAIN_MS = 2_000;

export interface Stored {
  /** Metadata; undefined until the first page arrives. */
  head: Omit<ToolResult, 'content'> | undefined;
  text: string;
  isWhole: boolean;
  /** Mutated in place; `text` changes when they have grown. */
  lines: Lines;
  byStructure: boolean;
  error: unknown;
}

export class StoredText {
  readonly #queryClient: QueryClient;
  readonly #toolId: string;
  readonly #listeners = new Set<() => void>();
  #stored: Stored = {
    head: undefined,
    text: '',
    isWhole: false,
    lines: new Lines(true),
    byStructure: true,
    error: undefined,
  };
  #wanted = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStarted = false;
  #isLoading = false;

  constructor(queryClient: QueryClient, toolId: string) {
    this.#queryClient = queryClient;
    this.#toolId = toolId;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly current = (): Stored => this.#stored;

  readonly start = (): (() => void) => {
    this.#isStarted = true;
    void this.#load();
    return () => {
      this.#isStarted = false;
      clearTimeout(this.#timer);
    };
  };

  /** Fetches until the text has this length or is complete. */
  readonly want = (characters: number): void => {
    this.#wanted = Math.max(this.#wanted, characters);
    void this.#load();
  };

  /** The whole text. @throws the error that prevented fetching it */
  readonly whole = async (): Promise<string> => {
    this.want(Infinity);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const look = (): void => {
      const { isWhole, text, error } = this.#stored;
      if (isWhole) resolve(text);
      else if (error !== undefined) reject(error instanceof Error ? error : new Error('Fetching failed.'));
    };
    const stop = this.subscribe(look);
    look();
    return await promise.finally(stop);
  };

  readonly retry = (): void => {
    this.#change({ error: undefined });
    void this.#load();
  };

  /** Whether JSON is broken into lines at its structure. */
  readonly showByStructure = async (byStructure: boolean): Promise<void> => {
    const lines = new Lines(byStructure);
    // Process a long text in slices, so that keys and scrolling get a turn.
    for (let end = PAGE; end < this.#stored.text.length; end += PAGE) {
      lines.extend(this.#stored.text.slice(0, end), false);
      await new Promise((resolve) => setTimeout(resolve));
    }
    lines.extend(this.#stored.text, this.#stored.isWhole);
    this.#change({ lines, byStructure });
  };

  #change(change: Partial<Stored>): void {
    this.#stored = { ...this.#stored, ...change };
    for (const listener of this.#listeners) listener();
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      while (this.#isStarted && this.#stored.error === undefined && !this.#stored.isWhole) {
        if (this.#stored.text.length >= this.#wanted) break;
        const page = await this.#page(this.#stored.text.length);
        // Prefetch the next page while processing this one.
        if (page.next_offset !== null && page.next_offset < this.#wanted)
          void this.#page(page.next_offset).catch(() => undefined);
        this.#take(page);
        if (this.#stored.head?.status === 'pending') break;
      }
    } catch (error) {
      this.#change({ error });
    } finally {
      this.#isLoading = false;
    }
    if (this.#isStarted && this.#stored.head?.status === 'pending') {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#load(), ASK_AGAIN_MS);
    }
  }

  /** Stored results never change, so a page fetched for another view will do. */
  async #page(offset: number): Promise<ToolResult> {
    return await this.#queryClient.fetchQuery({
      queryKey: ['tool-result', this.#toolId, offset, PAGE],
      queryFn: ({ signal }) =>
        dataOf(
          api.GET('/api/tool-results/{tool_id}', {
            params: { path: { tool_id: this.#toolId }, query: { offset, limit: PAGE } },
            signal,
          }),
        ),
      staleTime: ({ state }) => (state.data?.status === 'pending' ? 0 : Infinity),
      gcTime: 60_000,
    });
  }

  #take({ content, ...head }: ToolResult): void {
    const { next_offset } = head;
    const isPending = head.status === 'pending';
    const text = this.#stored.text + (content ?? '');
    const isWhole = !isPending && (next_offset === null || content === '' || content === null);
    this.#stored.lines.extend(text, isWhole);
    this.#change({ head, text, isWhole });
  }
}

/** The result and the store that fetches it; recreated for another tool call. */
export function useStoredText(toolId: string): [Stored, StoredText] {
  const queryClient = useQueryClient();
  const [{ store, of }, setStore] = useState(() => ({ store: new StoredText(queryClient, toolId), of: toolId }));
  if (of !== toolId) setStore({ store: new StoredText(queryClient, toolId), of: toolId });
  const stored = useSyncExternalStore(store.subscribe, store.current);
  useEffect(() => store.start(), [store]);
  return [stored, store];
}
