/** CodeMirror as the app uses it: its own colours, and languages that are loaded when they are needed. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { getNonce } from 'get-nonce';

export interface EditorOptions {
  label: string;
  isReadOnly: boolean;
  /** Another text, whose differences are shown within this one; with `controls`, its pieces can be taken over. */
  original?: string;
  controls?: boolean;
  onChange(text: string): void;
  onSave(): void;
}

export function extensionsOf({
  label,
  isReadOnly,
  original,
  controls = false,
  onChange,
  onSave,
}: EditorOptions): Extension[] {
  return [
    // The content security policy admits style sheets that carry this response's nonce.
    EditorView.cspNonce.of(getNonce() ?? ''),
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    EditorView.lineWrapping,
    // Tab moves on to the next control, as everywhere.
    keymap.of([
      { key: 'Mod-s', preventDefault: true, run: () => (onSave(), true) },
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
    ]),
    EditorView.contentAttributes.of({ 'aria-label': label, ...(isReadOnly && { 'aria-readonly': 'true' }) }),
    EditorState.readOnly.of(isReadOnly),
    EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
    theme,
    syntaxHighlighting(colours),
    ...(original === undefined ? [] : [unifiedMergeView({ original, mergeControls: controls && takeOver })]),
  ];
}

/** The original is theirs: rejecting a change of ours takes it over. */
function takeOver(type: 'reject' | 'accept', action: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = type === 'reject' ? 'Use theirs' : 'Keep mine';
  button.className = 'cm-take';
  button.addEventListener('click', action);
  return button;
}

/** By the end of a file's name. @returns nothing for languages that we do not know */
export async function languageOf(path: string): Promise<Extension | undefined> {
  const [, ending = ''] = /\.([a-z]+)$/.exec(path.toLowerCase()) ?? [];
  if (ending === 'md') return (await import('@codemirror/lang-markdown')).markdown();
  if (ending === 'json') return (await import('@codemirror/lang-json')).json();
  if (['yaml', 'yml'].includes(ending)) return (await import('@codemirror/lang-yaml')).yaml();
  if (!['js', 'jsx', 'ts', 'tsx', 'mjs', 'cjs'].includes(ending)) return undefined;
  const { javascript } = await import('@codemirror/lang-javascript');
  return javascript({ jsx: ending.endsWith('x'), typescript: ending.startsWith('t') });
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.propertyName, tags.heading], color: 'var(--accent)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta], color: 'var(--ink-soft)' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: [tags.link, tags.url], textDecoration: 'underline' },
]);

const button = {
  border: '1px solid var(--line-strong)',
  borderRadius: '0.375rem',
  background: 'var(--surface)',
  color: 'var(--ink)',
  padding: '0.125rem 0.5rem',
};

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55', maxHeight: '70dvh', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--ink-soft)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--sunken) 50%, transparent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)', color: 'var(--mark-ink)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', color: 'inherit' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panel.cm-search input': { ...button, color: 'var(--ink)' },
  '.cm-button, .cm-deletedChunk .cm-chunkButtons .cm-take': { ...button, backgroundImage: 'none' },
  '.cm-deletedChunk .cm-chunkButtons': { position: 'static', display: 'flex', gap: '0.5rem', padding: '0.25rem' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-soft)', color: 'var(--ink)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--good-soft) !important' },
  '.cm-changedText, .cm-deletedText': { background: 'none !important', textDecoration: 'underline' },
});
