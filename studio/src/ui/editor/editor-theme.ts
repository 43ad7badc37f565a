import { EditorView } from '@codemirror/view'

/** The looks of the editor in the tones of the page, which reach into it as custom properties. */
export const editorTheme = EditorView.theme({
  '&': {
    border: '1px solid var(--field-line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--field)',
    color: 'var(--ink)',
    fontSize: 'var(--text-small)',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '2px' },
  '.cm-scroller': {
    // A page sets how high it is at least, and from where on it scrolls.
    minHeight: 'var(--editor-height, auto)',
    maxHeight: 'var(--editor-height-max, none)',
    fontFamily: 'var(--mono)',
    lineHeight: '1.6',
    borderRadius: 'var(--radius)',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-placeholder': { color: 'var(--ink-soft)' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    border: 'none',
    color: 'var(--ink-soft)',
    paddingLeft: '4px',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-ground)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--alert-ground)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete': { overflow: 'visible' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '14em',
    borderRadius: 'var(--radius)',
    fontFamily: 'var(--mono)',
    fontSize: 'var(--text-tiny)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 12px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-ground)',
    color: 'var(--ink)',
  },
  '.cm-completionMatchedText': {
    textDecoration: 'none',
    color: 'var(--accent)',
    fontWeight: '600',
  },
  '.cm-completionDetail': { color: 'var(--ink-soft)', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': {
    maxWidth: 'min(320px, 70vw)',
    padding: '8px 12px',
    font: 'var(--text-tiny) / 1.5 var(--font)',
    whiteSpace: 'pre-wrap',
  },
  '.cm-diagnostic': {
    padding: '8px 12px',
    borderLeft: '3px solid var(--alert)',
    font: 'var(--text-tiny) / 1.5 var(--font)',
    whiteSpace: 'pre-wrap',
  },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--series-5)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--alert) 1px',
    textUnderlineOffset: '4px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--series-5) 1px',
    textUnderlineOffset: '4px',
  },
})
