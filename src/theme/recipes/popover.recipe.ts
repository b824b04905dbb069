import { defineSlotRecipe } from '@pandacss/dev'
import { floating } from '../floating'

export const popover = defineSlotRecipe({
  className: 'popover',
  staticCss: ['*'],
  slots: ['trigger', 'positioner', 'content'],
  base: {
    content: { ...floating, p: '12' },
  },
})

const tip = {
  animation: 'hint',
  position: 'absolute',
  zIndex: 'tooltip',
  top: 'calc(100% + {spacing.4})',
  left: '50%',
  translate: '-50% 0',
  w: 'max',
  maxW: '280',
  px: '8',
  py: '6',
  borderRadius: '4',
  bg: 'text',
  color: 'surface',
  textStyle: 'small',
  textAlign: 'left',
  whiteSpace: 'normal',
  pointerEvents: 'none',
} as const

/** `at`: the pseudo-element of the element with the attributes, or nothing. */
const places = (at: '' | '::after') => ({
  [`&[data-side=top]${at}`]: { top: 'auto', bottom: 'calc(100% + {spacing.4})' },
  [`&[data-side=right]${at}`]: { top: '50%', left: 'calc(100% + {spacing.8})', translate: '0 -50%' },
  [`&[data-align=end]${at}`]: { left: 'auto', right: '0', translate: 'none' },
  [`&[data-align=start]${at}`]: { left: '0', translate: 'none' },
  // Without space next to the control it is above the bar at the bottom of the screen, and never makes the page wider.
  [`&&&${at}`]: {
    mdDown: {
      position: 'fixed',
      inset: 'auto 16px calc({sizes.pageHead} + {spacing.8})',
      translate: 'none',
      w: 'max',
      maxW: 'calc(100vw - {spacing.32})',
      mx: 'auto',
    },
  },
})

/** A tooltip without code: shown on hover and focus, after 400 ms. */
export const hint = defineSlotRecipe({
  className: 'hint',
  slots: ['root', 'tip'],
  base: {
    root: {
      position: 'relative',
      display: 'inline-flex',
      '&:is(:hover, :focus-within) > [role=tooltip]': { display: 'block' },
      // The name of the control itself: assistive technology does not need it twice.
      // No box while hidden: an invisible one makes a narrow page scroll sideways.
      '&[data-hint]:is(:hover, :focus-within)::after': { content: 'attr(data-hint)', ...tip },
      ...places('::after'),
    },
    tip: { ...tip, display: 'none', ...places('') },
  },
})
