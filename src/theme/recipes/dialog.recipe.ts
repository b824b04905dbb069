import { defineSlotRecipe } from '@pandacss/dev'

const slots = [
  'trigger',
  'backdrop',
  'positioner',
  'content',
  'title',
  'description',
  'closeTrigger',
  'body',
  'footer',
  'head',
] as const

// Elements under a closing dialog can be pressed already.
const going = { animation: 'fadeOut', pointerEvents: 'none' } as const

const backdrop = {
  position: 'fixed',
  inset: '0',
  zIndex: 'modal',
  bg: 'scrim',
  _open: { animation: 'fadeIn' },
  _closed: going,
} as const

const parts = {
  title: { textStyle: 'dialogTitle' },
  description: { color: 'text2', mt: '4' },
  closeTrigger: { ml: 'auto' },
} as const

export const dialog = defineSlotRecipe({
  className: 'dialog',
  staticCss: ['*'],
  slots,
  base: {
    ...parts,
    backdrop,
    positioner: {
      position: 'fixed',
      inset: '0',
      zIndex: 'modal',
      display: 'grid',
      placeItems: { base: 'end center', sm: 'center' },
      p: { base: '0', sm: '16' },
      overflowY: 'auto',
    },
    content: {
      display: 'flex',
      flexDirection: 'column',
      w: 'full',
      maxW: 'dialog',
      maxH: 'calc({sizes.viewport} - {spacing.32})',
      border: 'raised',
      borderRadius: '8',
      bg: 'raised',
      boxShadow: 'dialog',
      outline: 'none',
      overflow: 'clip',
      '&[data-wide]': { maxW: 'dialogWide' },
      _open: { animation: 'riseIn' },
      _closed: going,
    },
    head: { px: '24', pt: '20' },
    body: {
      display: 'grid',
      gridTemplateColumns: 'minmax(0, 1fr)',
      gap: '16',
      px: '24',
      pt: '16',
      pb: '24',
      overflowY: 'auto',
      _empty: { pt: '0', pb: '20' },
    },
    footer: { display: 'flex', justifyContent: 'flex-end', gap: '8', px: '24', py: '12', borderTop: 'line' },
  },
})

export const drawer = defineSlotRecipe({
  className: 'drawer',
  staticCss: ['*'],
  slots,
  base: {
    ...parts,
    // The element before it has taken the space.
    closeTrigger: { ml: 'auto', '[data-actions] > &': { ml: '0' } },
    backdrop,
    positioner: {
      position: 'fixed',
      inset: '0',
      zIndex: 'modal',
      display: 'flex',
      justifyContent: 'flex-end',
      '&[data-side=start]': { justifyContent: 'flex-start' },
      // Next to the page: no scrim, and the page stays usable.
      '&[data-beside]': { zIndex: 'side', pointerEvents: 'none', top: 'header' },
    },
    content: {
      display: 'flex',
      flexDirection: 'column',
      w: 'full',
      maxW: 'drawer',
      bg: 'raised',
      borderLeft: 'raised',
      boxShadow: 'dialog',
      outline: 'none',
      minH: '0',
      pointerEvents: 'auto',
      '[data-side=start] &': { maxW: 'navDrawer', borderLeft: 'none', borderRight: 'raised' },
      _open: { animation: 'slideIn' },
      _closed: going,
    },
    // Head and footer stay while the content scrolls.
    head: {
      display: 'flex',
      alignItems: 'center',
      gap: '8',
      px: { base: '16', sm: '24' },
      minH: 'pageHead',
      flexShrink: '0',
      '[data-side=start] &': { px: '16' },
    },
    body: {
      display: 'grid',
      gridTemplateColumns: 'minmax(0, 1fr)',
      alignContent: 'start',
      gap: '24',
      flex: '1',
      minH: '0',
      px: { base: '16', sm: '24' },
      pb: '24',
      overflowY: 'auto',
      '[data-side=start] &': { alignContent: 'stretch', px: '16', pb: '12' },
    },
    footer: { display: 'flex', gap: '8', flexShrink: '0', px: { base: '16', sm: '24' }, py: '12', borderTop: 'line' },
  },
})
