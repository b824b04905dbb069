import { defineRecipe } from '@pandacss/dev'

const steps = [1, 2, 3, 4, 5, 6]

/** Rows are counted from the base, where the animation starts: 7 steps of 160 ms. */
export const mark = defineRecipe({
  className: 'mark',
  base: {
    fill: 'currentColor',
    '&[data-look=empty]': { color: 'control', fill: 'none', stroke: 'currentColor', strokeWidth: '0.5' },
    '&[data-look=band] > [data-band]': { fill: 'bloom.mark' },
    '&[data-look=busy] > [data-row]': { animation: 'climb' },
    ...Object.fromEntries(steps.map((n) => [`&[data-look=busy] > [data-row="${n}"]`, { animationDelay: `${n * 160}ms` }])),
  },
  staticCss: ['*'],
})
