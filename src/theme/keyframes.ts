import { defineKeyframes } from '@pandacss/dev'

/** Opacity and at most 8 px of movement; endless animations are stopped by reduced motion in global-css. */
export const keyframes = defineKeyframes({
  fadeIn: { from: { opacity: 0 } },
  fadeOut: { to: { opacity: 0 } },
  dropIn: { from: { opacity: 0, translate: '0 -4px' } },
  riseIn: { from: { opacity: 0, translate: '0 8px' } },
  slideIn: { from: { opacity: 0, translate: '8px 0' } },
  turn: { to: { rotate: '1turn' } },
  climb: { '0%, 14.2%': { fill: '{colors.bloom.mark}' }, '14.3%, 100%': { fill: 'currentColor' } },
  sweep: { from: { translate: '-100% 0' }, to: { translate: '400% 0' } },
})
