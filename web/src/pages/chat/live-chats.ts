/** The chats open in this tab. One survives briefly without a page, between the page of a new chat and its own. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { LiveChat, type LiveState } from './live-chat.ts';

const GRACE_MS = 3_000;

interface Held {
  live: LiveChat;
  pages: number;
}

const held = new Map<string, Held>();

function hold(chatId: string, live: LiveChat): Held {
  const existing = held.get(chatId);
  if (existing !== undefined) return existing;
  const made = { live, pages: 0 };
  held.set(chatId, made);
  return made;
}

/** Files a new chat under the id it has just been given. */
export const handOver = (chatId: string, live: LiveChat): void => void hold(chatId, live);

/** Closes chats that no page shows, after sending what is being sent. */
function letGo(mine: Held): void {
  const { live, pages } = mine;
  const holder = live.chatId === undefined ? undefined : held.get(live.chatId);
  // A new chat that continues under its own id is kept there.
  if (pages > 0 || (holder !== mine && holder?.live === live)) return;
  if (live.state().phase === 'sending') {
    setTimeout(() => letGo(mine), GRACE_MS);
    return;
  }
  live.dispose();
  if (live.chatId !== undefined && holder === mine) held.delete(live.chatId);
}

/** Registers another page that shows it. @returns a function to call when that page goes away */
function show(mine: Held): () => void {
  mine.pages += 1;
  return () => {
    mine.pages -= 1;
    setTimeout(() => letGo(mine), GRACE_MS);
  };
}

/** The chat of a page, for as long as the page is mounted. @param chatId undefined for a new chat */
export function useLiveChat(chatId: string | undefined): LiveChat {
  const first = useMemo(
    () => (chatId === undefined ? { live: new LiveChat(), pages: 0 } : hold(chatId, new LiveChat(chatId))),
    [chatId],
  );
  useEffect(() => show(chatId === undefined ? first : hold(chatId, first.live)), [chatId, first]);
  return first.live;
}

export const useLiveState = (live: LiveChat): LiveState => useSyncExternalStore(live.subscribe, live.state);
