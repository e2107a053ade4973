import { useToaster } from './toast.tsx';

/** A text for the clipboard, or a function that fetches it. */
export type Copied = string | (() => Promise<string>);

/** Returns a function that copies a text, reports the result in a toast, and resolves to whether it worked. */
export function useClipboard(): (text: Copied) => Promise<boolean> {
  const toaster = useToaster();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
    } catch (error) {
      const isForbidden = error instanceof DOMException || navigator.clipboard === undefined;
      toaster.fail(
        isForbidden
          ? new Error('The browser blocked access to the clipboard. Select the text and copy it manually.')
          : error,
      );
      return false;
    }
    toaster.say('Copied.');
    return true;
  };
}
