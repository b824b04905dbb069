import { defineGlobalStyles } from '@pandacss/dev'

const tags = ['stone', 'clay', 'ochre', 'moss', 'fern', 'lagoon', 'sky', 'iris', 'bloom', 'rose']
const kinds = ['success', 'error', 'info', 'warning', 'neutral']

/** A kind or a tag is set once, as a data attribute, and everything inside uses its colors. */
const said = Object.fromEntries([
  ...kinds.map((k) => [
    `[data-kind=${k}]`,
    {
      '--kind': `{colors.${k}}`,
      '--kind-text': `{colors.${k}.text}`,
      '--kind-bg': `{colors.${k}.bg}`,
      '--kind-line': `{colors.${k}.line}`,
    },
  ]),
  ['[data-kind=quiet]', { '--kind': '{colors.faint}' }],
  ...tags.map((t) => [
    `[data-tag=${t}]`,
    { '--tag-text': `{colors.tag.${t}.text}`, '--tag-bg': `{colors.tag.${t}.bg}`, '--tag-mark': `{colors.tag.${t}.mark}` },
  ]),
])

/** The CSS reset: only rules that the components need. */
export const globalCss = defineGlobalStyles({
  '*, ::before, ::after': { boxSizing: 'border-box', margin: '0', padding: '0', borderWidth: '0', borderStyle: 'solid' },
  html: {
    colorScheme: 'light dark',
    textSizeAdjust: '100%',
    WebkitFontSmoothing: 'antialiased',
    '&[data-theme=light]': { colorScheme: 'light' },
    '&[data-theme=dark]': { colorScheme: 'dark' },
  },
  body: {
    fontFamily: 'sans',
    textStyle: 'body',
    fontVariantNumeric: 'tabular-nums',
    bg: 'surface',
    color: 'text',
    minH: 'viewport',
    overflowWrap: 'break-word',
    MozOsxFontSmoothing: 'grayscale',
  },
  'h1, h2, h3, h4, strong, b, th': { fontSize: 'inherit', fontWeight: 'inherit', textAlign: 'inherit' },
  'ul, ol': { listStyle: 'none' },
  a: { color: 'inherit', textDecoration: 'none' },
  'button, input, textarea, select': {
    font: 'inherit',
    letterSpacing: 'inherit',
    color: 'inherit',
    background: 'none',
    borderRadius: '0',
  },
  'button, summary, [role=button]': { cursor: 'pointer', touchAction: 'manipulation' },
  ':disabled': { cursor: 'default' },
  'img, svg, canvas': { display: 'block', maxWidth: '100%' },
  svg: { flexShrink: '0' },
  table: { borderCollapse: 'collapse', borderSpacing: '0', width: '100%' },
  fieldset: { minWidth: '0' },
  '::placeholder': { color: 'muted', opacity: '1' },
  ':focus-visible': { outlineWidth: '2px', outlineStyle: 'solid', outlineColor: 'focus', outlineOffset: '2px' },
  // It takes the focus to be read (src/features/shell/focus-heading.ts): there is nothing to press.
  'h1:focus-visible': { outlineStyle: 'none' },
  '::selection': { bg: 'bloom.bg' },
  '[hidden]': { display: 'none!' },
  // The document's shells: one for each kind of page, until the app is ready (early-theme.js).
  ':is([data-shell=cards] [data-of~=framed], [data-shell=framed] [data-of=cards], [data-shell=plain] :is([data-of=cards], [data-of=framed]))':
    { display: 'none!' },
  ...said,
  // Reduced motion: no movement, rotation or animated band; fades of 80 ms at most, the words show the state.
  '@media (prefers-reduced-motion: reduce)': {
    '*, ::before, ::after': {
      animationDuration: '1ms!',
      animationIterationCount: '1!',
      // Any other duration would give each property of each element a transition: what is measured after a change is then the
      // former size.
      transitionDuration: '0s!',
      scrollBehavior: 'auto!',
    },
  },
})
