import { defineSlotRecipe } from '@pandacss/dev'

/** One column of at most 600 px, fields 24 apart (16 when dense), Save then Cancel under a line. */
export const form = defineSlotRecipe({
  className: 'form',
  slots: ['root', 'pair', 'footer', 'note', 'error'],
  base: {
    root: {
      display: 'grid',
      gridTemplateColumns: 'minmax(0, 1fr)',
      gap: '24',
      w: 'full',
      maxW: 'form',
      '&[data-full]': { maxW: 'full' },
      '&[data-dense]': { gap: '16' },
    },
    pair: {
      display: 'grid',
      columnGap: '16',
      // When stacked, they have the same gap as any two fields.
      rowGap: 'inherit',
      gridTemplateColumns: { base: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
      alignItems: 'start',
    },
    footer: {
      display: 'flex',
      alignItems: 'center',
      gap: '8',
      pt: '16',
      borderTop: 'line',
      '&[data-sticky]': { position: 'sticky', bottom: '0', py: '12', pr: { mdDown: '56' }, bg: 'surface', zIndex: 'sticky' },
      '&[data-in-dialog]': { justifyContent: 'flex-end', mx: '-24', mt: '8', mb: '-24', px: '24', py: '12' },
      // At the end of the window, over its padding; it has no corner button.
      '&[data-in-dialog][data-sticky]': { bottom: '-24', pr: { mdDown: '24' }, bg: 'raised' },
      // Without content after it, it ends at the screen's edge, next to the corner button.
      'div:last-child > form > &[data-sticky]': { mdDown: { mb: '-64' } },
    },
    // The corner button leaves no space for it.
    note: { ml: 'auto', textStyle: 'small', color: 'muted', '[data-sticky] > &': { hideBelow: 'md' } },
    error: { display: 'flex', gap: '8' },
  },
})
