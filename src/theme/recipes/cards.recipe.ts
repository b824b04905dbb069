import { defineSlotRecipe } from '@pandacss/dev'

const line = {
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: '8',
  minH: '20',
  textStyle: 'small',
  color: 'muted',
  whiteSpace: 'nowrap',
  '& b': { color: 'text', fontWeight: 'medium' },
} as const

/** A grid of cards: 1, 2 (640), 3 (1024), 4 (1536) columns. */
export const cards = defineSlotRecipe({
  className: 'cards',
  slots: ['grid', 'card', 'title', 'text', 'line', 'bar', 'foot'],
  base: {
    grid: {
      display: 'grid',
      mt: '8',
      gap: { base: '12', md: '16' },
      gridTemplateColumns: {
        base: 'minmax(0, 1fr)',
        sm: 'repeat(2, minmax(0, 1fr))',
        lg: 'repeat(3, minmax(0, 1fr))',
        '2xl': 'repeat(4, minmax(0, 1fr))',
      },
    },
    card: {
      position: 'relative',
      display: 'flex',
      flexDirection: 'column',
      minH: { base: '104', md: '160' },
      p: '16',
      border: 'line',
      borderRadius: '6',
      bg: 'surface',
      transitionProperty: 'border-color',
      transitionDuration: 'hover',
      '&:is(a, :has(a)):hover': { borderColor: 'control' },
      '&:has(> * > a:focus-visible)': { outline: '2px solid {colors.focus}', outlineOffset: '2px' },
    },
    // The whole card is clickable by its title's link.
    title: { textStyle: 'heading', '& a': { outline: 'none', _after: { content: '""', position: 'absolute', inset: '0' } } },
    text: {
      mt: '4',
      mb: '8',
      minH: { base: '20', md: '40' },
      color: 'text2',
      lineClamp: { base: 1, md: 2 },
      '&[data-none]': { color: 'muted' },
    },
    // Next to a taller card, the figures are still in one row.
    line: { ...line, mt: 'auto' },
    bar: { display: 'flex', mt: '6' },
    foot: { ...line, mt: '4' },
  },
  staticCss: ['*'],
})
