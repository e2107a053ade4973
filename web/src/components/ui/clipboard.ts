import { useToaster } from './toast.tsx';

/** A text to be put on the clipboard, or what fetches it. */
export type Copied = string | (() => Promise<string>);

/** Gives what puts a text on the clipboard and says how that went; answers whether the text is there now. */
export function useClipboard(): (text: Copied) => Promise<boolean> {
  const toaster = useToaster();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
    } catch (error) {
      const isForbidden = error instanceof DOMException || navigator.clipboard === undefined;
      toaster.fail(
        isForbidden
          ? new Error('The browser did not let the page write to the clipboard. Select the text and copy it yourself.')
          : error,
      );
      return false;
    }
    toaster.say('Copied.');
    return true;
  };
}
