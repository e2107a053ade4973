import { Check, Copy } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { useClipboard } from './clipboard.ts';

export interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** What to copy; fetched when the button is pressed. */
  text: () => string;
  children?: ReactNode;
}

export function CopyButton({ text, children, ...rest }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  const putOnClipboard = useClipboard();
  const copy = async (): Promise<void> => {
    if (await putOnClipboard(text())) setIsCopied(true);
  };
  return (
    <Button {...rest} onClick={() => void copy()} onBlur={() => setIsCopied(false)}>
      {isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
      {children}
    </Button>
  );
}
