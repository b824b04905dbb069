import { defineSlotRecipe } from '@pandacss/dev'

export const toast = defineSlotRecipe({
  className: 'toast',
  slots: ['group', 'root', 'title', 'description', 'actionTrigger', 'closeTrigger'],
  base: {
    // Above a docked panel, if there is one.
    group: {
      zIndex: 'toast!',
      // On a small screen above the flask, or the page's bar.
      bottom: {
        base: 'max({spacing.64}, calc(anchor(--dock top, 0px) + {spacing.12}))!',
        md: 'max({spacing.24}, calc(anchor(--dock top, 0px) + {spacing.12}))!',
      },
    },
    root: {
      display: 'grid',
      gridTemplateColumns: 'max-content minmax(0, 1fr) max-content max-content',
      alignItems: 'center',
      columnGap: '8',
      w: 'toast',
      maxW: 'calc(100vw - {spacing.32})',
      minH: '40',
      pl: '12',
      pr: '6',
      py: '4',
      border: 'raised',
      borderRadius: '6',
      bg: 'raised',
      color: 'text',
      boxShadow: 'menu',
      opacity: 'var(--opacity)',
      translate: 'var(--x) var(--y)',
      scale: 'var(--scale)',
      zIndex: 'var(--z-index)',
      height: 'var(--height)',
      willChange: 'translate, opacity, scale',
      transitionProperty: 'translate, scale, opacity, height',
      transitionDuration: 'slot',
      transitionTimingFunction: 'enter',
    },
    title: { overflowWrap: 'anywhere', py: '4' },
    description: { gridColumn: '2 / -1', gridRow: '2', textStyle: 'small', color: 'muted', pb: '4' },
    actionTrigger: { color: 'bloom.text', fontWeight: 'medium', borderRadius: '2', px: '4' },
    closeTrigger: {
      display: 'grid',
      placeItems: 'center',
      w: 'controlSmall',
      h: 'controlSmall',
      borderRadius: '4',
      color: 'muted',
      gridColumn: '4',
      gridRow: '1',
      _hover: { bg: 'raisedHover', color: 'text' },
    },
  },
})
