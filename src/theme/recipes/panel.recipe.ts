import { defineSlotRecipe } from '@pandacss/dev'

export const panel = defineSlotRecipe({
  className: 'panel',
  slots: ['root', 'head', 'title', 'aside', 'body', 'row'],
  base: {
    root: { border: 'line', borderRadius: '6', bg: 'surface', minW: '0', overflow: 'clip' },
    head: {
      display: 'flex',
      alignItems: 'center',
      flexWrap: 'wrap',
      gap: '8',
      // Also without a button in it: one may come with the data.
      minH: '44',
      px: '16',
      py: '6',
      borderBottom: 'line',
    },
    title: { textStyle: 'heading', color: 'text', minW: '0', overflowWrap: 'anywhere' },
    aside: {
      ml: 'auto',
      display: 'flex',
      alignItems: 'center',
      flexWrap: 'wrap',
      justifyContent: 'flex-end',
      gap: '8',
      textStyle: 'small',
      color: 'muted',
      // The panel's edge would cut these.
      '& [role=tooltip]': { md: { left: 'auto', right: '0', translate: 'none' } },
    },
    body: { p: '16' },
    row: {
      display: 'flex',
      alignItems: 'center',
      gap: '8',
      minH: '44',
      px: '16',
      py: '8',
      borderTop: 'line',
      _first: { borderTop: 'none' },
      // The head has its own line.
      'header + &': { borderTop: 'none' },
    },
  },
})
