import { defineRecipe } from '@pandacss/dev'

/** A placeholder box. No shimmer; invisible for the first 150 ms. */
export const skeleton = defineRecipe({
  className: 'skeleton',
  base: {
    display: 'block',
    h: '12',
    borderRadius: '2',
    bg: 'hover',
    maxW: 'full',
    '&[data-late]': { animation: 'late' },
    '&[data-shape=round]': { borderRadius: 'full' },
    '&[data-width=short]': { w: '64' },
    '&[data-width=half]': { w: '1/2' },
    '&[data-width=long]': { w: '3/4' },
    '&[data-width=full]': { w: 'full' },
    '&[data-height=title]': { h: '20', w: '112' },
    '&[data-height=heading]': { my: '4' },
    '&[data-height=word]': { h: '12', w: '96' },
    '&[data-height=avatar]': { w: 'avatar', h: 'avatar' },
    '&[data-height=button]': { w: '120', h: { base: 'controlTouch', md: 'control' }, borderRadius: '4' },
    '&[data-height=control]': { h: { base: 'controlTouch', md: 'control' }, borderRadius: '4' },
    '&[data-height=bar]': { h: '4' },
    // A row of a list.
    '&[data-height=row]': { my: '24' },
  },
  staticCss: ['*'],
})
