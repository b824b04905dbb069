import { defineRecipe } from '@pandacss/dev'

export const shape = defineRecipe({
  className: 'shape',
  base: {
    color: 'var(--kind)',
    flexShrink: 0,
    fill: 'none',
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
    '&[data-shape=running]': { animation: 'turn' },
  },
})
