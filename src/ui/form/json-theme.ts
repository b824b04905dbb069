import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

// Custom properties of the theme reach into the shadow root, for both themes.
export const jsonTheme = EditorView.theme({
  '&': { color: 'var(--colors-text)', backgroundColor: 'transparent', fontSize: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--fonts-mono)',
    fontSize: '0.75rem',
    lineHeight: '1.25rem',
    letterSpacing: '-0.01em',
    fontVariantNumeric: 'tabular-nums slashed-zero',
    fontVariantLigatures: 'none',
    minHeight: '5rem',
    maxHeight: '25rem',
    overflow: 'auto',
  },
  '@media (max-width: 767.98px)': { '.cm-scroller': { fontSize: '1rem', lineHeight: '1.5rem' } },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--colors-text)' },
  '.cm-line': { padding: '0 10px 0 6px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--colors-muted)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2rem', padding: '0 6px 0 8px' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--colors-text)' },
  '.cm-broken': { textDecoration: 'underline wavy var(--colors-error)', textUnderlineOffset: '3px' },
  '.cm-brokenLine': { backgroundColor: 'var(--colors-error-bg)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--colors-track)', color: 'inherit' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', color: 'var(--colors-error-text)' },
})

/** Keys in text color, strings, numbers and keywords each in their own color, punctuation muted. */
export const jsonColours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--colors-text)' },
  { tag: tags.string, color: 'var(--colors-success-text)' },
  { tag: tags.number, color: 'var(--colors-info-text)' },
  { tag: [tags.bool, tags.null], color: 'var(--colors-bloom-text)' },
  { tag: [tags.separator, tags.brace, tags.squareBracket], color: 'var(--colors-muted)' },
])
