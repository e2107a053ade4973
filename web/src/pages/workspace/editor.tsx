/** An editor for one text. Loaded when a file is first shown. */
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { extensionsOf, languageOf, type EditorOptions } from './code-mirror.ts';

export interface EditorProps extends Omit<EditorOptions, 'onChange' | 'onSave'> {
  path: string;
  /** The text at first, and whenever it differs from what is in the editor. */
  text: string;
  onChange?: (text: string) => void;
  onSave?: () => void;
}

export function Editor({ path, text, label, isReadOnly, original, controls, onChange, onSave }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const change = useEffectEvent((typed: string) => onChange?.(typed));
  const save = useEffectEvent(() => onSave?.());
  const first = useEffectEvent(() => text);

  useEffect(() => {
    if (place.current === null) return undefined;
    const language = new Compartment();
    const options = { label, isReadOnly, original, controls, onChange: change, onSave: save };
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: first(), extensions: [...extensionsOf(options), language.of([])] }),
    });
    view.current = made;
    let isGone = false;
    // Without its colours a text can be read as well.
    languageOf(path).then(
      (known) => isGone || known === undefined || made.dispatch({ effects: language.reconfigure(known) }),
      () => undefined,
    );
    return () => {
      isGone = true;
      made.destroy();
      view.current = null;
    };
  }, [path, label, isReadOnly, original, controls]);

  useEffect(() => {
    const shown = view.current?.state.doc.toString();
    if (shown === undefined || shown === text) return;
    view.current?.dispatch({ changes: { from: 0, to: shown.length, insert: text } });
  }, [text]);

  return <div ref={place} className="min-w-0 overflow-hidden rounded-md border" />;
}
