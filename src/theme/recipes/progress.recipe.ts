import { defineSlotRecipe } from '@pandacss/dev'

/** Bars: one part (progress) or several (stacked, 2 px apart). Zero parts are not drawn. */
export const progress = defineSlotRecipe({
  className: 'progress',
  slots: ['root', 'track', 'part', 'word'],
  base: {
    root: { display: 'flex', alignItems: 'center', gap: '8', w: 'full', minW: '0' },
    track: {
      display: 'flex',
      flex: '1',
      gap: '1',
      minW: '24',
      h: '4',
      borderRadius: '2',
      bg: 'track',
      overflow: 'hidden',
      '&[data-thick]': { h: '6' },
      '&[data-unknown] > *': { w: '1/4', animation: 'sweep' },
    },
    part: {
      h: 'full',
      bg: 'var(--kind)',
      w: 'calc(var(--share) * 100%)',
      flexShrink: 0,
      minW: '1',
      transitionProperty: 'width',
      transitionDuration: 'progress',
      transitionTimingFunction: 'linear',
      '&[data-tag]': { bg: 'var(--tag-mark)' },
      '&[data-step="0"]': { bg: 'text2' },
      '&[data-step="1"]': { bg: 'muted' },
      '&[data-step="2"]': { bg: 'faint' },
      '&[data-step="3"]': { bg: 'lineStrong' },
      '&[data-kind=rest]': { bg: 'lineStrong' },
    },
    word: { textStyle: 'small', color: 'muted', whiteSpace: 'nowrap', minW: '32' },
  },
})
