import { defineSlotRecipe } from '@pandacss/dev'

// No vendor prefix covers both: each browser knows one of the two names of the handle.
const handle = {
  appearance: 'none',
  boxSizing: 'border-box',
  w: '12',
  h: '20',
  border: '2px solid var(--kind)',
  borderRadius: '3',
  bg: 'surface',
  cursor: 'ew-resize',
  pointerEvents: 'auto',
} as const
const held = { outlineWidth: '2px', outlineStyle: 'solid', outlineColor: 'focus', outlineOffset: '1px' } as const

/** Two levels on one scale: below the first is healthy, above the second is critical. */
export const levels = defineSlotRecipe({
  className: 'levels',
  slots: ['root', 'scale', 'track', 'part', 'handle', 'ends', 'fields', 'rest'],
  base: {
    root: { display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)' },
    scale: { position: 'relative', h: { base: 'controlTouch', md: '28' } },
    // The center of a handle moves from half its width to half its width before the end.
    track: { position: 'absolute', insetX: '6', top: '50%', h: '6', mt: '-3', display: 'flex', gap: '2' },
    part: {
      h: 'full',
      minW: '0',
      borderRadius: '2',
      bg: 'var(--kind)',
      flexBasis: '0',
      flexGrow: 'var(--share)',
    },
    handle: {
      appearance: 'none',
      position: 'absolute',
      inset: '0',
      w: 'full',
      h: 'full',
      bg: 'transparent',
      pointerEvents: 'none',
      outline: 'none',
      '&::-webkit-slider-runnable-track': { appearance: 'none', bg: 'transparent' },
      '&::-webkit-slider-thumb': handle,
      '&::-moz-range-thumb': handle,
      '&:focus-visible::-webkit-slider-thumb': held,
      '&:focus-visible::-moz-range-thumb': held,
    },
    ends: { display: 'flex', justifyContent: 'space-between', textStyle: 'caption', color: 'muted', mt: '-4' },
    fields: {
      display: 'grid',
      gap: '12',
      gridTemplateColumns: { base: 'repeat(2, minmax(0, 1fr))', sm: 'repeat(3, minmax(0, 1fr))' },
      alignItems: 'start',
    },
    rest: { gridColumn: { base: '1 / -1', sm: 'auto' } },
  },
})
