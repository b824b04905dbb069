import { defineSlotRecipe } from '@pandacss/dev'

/** Facts with captions, separated by lines; two columns in a box under 768 px. */
export const factStrip = defineSlotRecipe({
  className: 'facts',
  slots: ['root', 'fact', 'caption', 'value', 'figure', 'note', 'pairs', 'pair', 'key'],
  base: {
    root: {
      display: { base: 'grid', md: 'flex' },
      gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
      borderTop: 'line',
      borderBottom: 'line',
      mdDown: { border: 'line', borderRadius: '6', gap: '1', bg: 'line', overflow: 'clip' },
      // A margin between the tabs and the box on small screens.
      '&:has(+ nav)': { mdDown: { mb: '8' } },
      '&[data-plain]': { md: { border: 'none' } },
      '&[data-many]': { md: { display: 'grid', gridTemplateColumns: 'repeat(4, minmax(0, 1fr))' }, xl: { display: 'flex' } },
    },
    fact: {
      // No narrower than its longest word: longer ones wrap or are cut.
      minW: { base: '0', md: 'auto' },
      py: '8',
      px: { base: '12', md: '12' },
      flex: { md: '1 1 auto' },
      bg: 'surface',
      borderLeft: { md: 'line' },
      _first: { md: { borderLeft: 'none', pl: '0' } },
      '[data-many] > &': {
        md: { minW: '0' },
        mdToXl: { '&:nth-child(4n + 1)': { borderLeft: 'none', pl: '0' }, '&:nth-child(n + 5)': { borderTop: 'line' } },
      },
      mdDown: { '&:last-child:nth-child(odd)': { gridColumn: 'span 2' } },
    },
    caption: { display: 'flex', alignItems: 'center', gap: '6', textStyle: 'caption', color: 'muted', whiteSpace: 'nowrap' },
    value: {
      display: 'flex',
      alignItems: 'center',
      flexWrap: 'wrap',
      gap: '4',
      minH: '20',
      color: 'text',
      overflowWrap: { base: 'anywhere', md: 'normal' },
      // A button is higher than its line without making the line higher.
      '& button': { my: { base: '-10', md: '-4' } },
      '& small': { textStyle: 'body', color: 'muted' },
      '& code': { textStyle: 'mono' },
    },
    figure: { textStyle: 'figure' },
    note: { textStyle: 'small', color: 'muted' },
    // The same facts as a list: caption left, value right.
    pairs: {
      display: 'grid',
      gridTemplateColumns: '{sizes.104} minmax(0, 1fr)',
      '&[data-wide]': { sm: { gridTemplateColumns: '{sizes.180} minmax(0, 1fr)' } },
      rowGap: '4',
      columnGap: '8',
      alignItems: 'baseline',
      '& dd': { overflowWrap: 'anywhere' },
      '& dd button': { my: { base: '-10', md: '-4' } },
      '& code': { textStyle: 'mono' },
    },
    pair: { display: 'contents' },
    key: { color: 'muted' },
  },
})
