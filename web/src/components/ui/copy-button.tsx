import { Check, Copy } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { useToaster } from './toast.tsx';

export interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** What is put on the clipboard; asked for when the button is pressed. */
  text: () => string;
  children: ReactNode;
}

/** Copies a text and says so. */
export function CopyButton({ text, children, ...rest }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  const toaster = useToaster();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setIsCopied(true);
      toaster.say('Copied.');
    } catch {
      toaster.fail(
        new Error('The browser did not let the page write to the clipboard. Select the text and copy it yourself.'),
      );
    }
  };
  return (
    <Button {...rest} onClick={() => void copy()} onBlur={() => setIsCopied(false)}>
      {isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
      {children}
    </Button>
  );
}
