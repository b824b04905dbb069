import { defineSlotRecipe } from '@pandacss/dev'

export const segment = defineSlotRecipe({
  className: 'segment',
  slots: ['root', 'item', 'input'],
  base: {
    root: {
      display: 'inline-flex',
      maxW: 'full',
      overflowX: 'auto',
      h: { base: 'controlTouch', md: 'control' },
      border: 'strong',
      borderRadius: '4',
      bg: 'surface',
      '&[data-size=small]': { h: { base: 'controlTouch', md: 'controlSmall' } },
    },
    item: {
      position: 'relative',
      display: 'flex',
      alignItems: 'center',
      gap: '6',
      px: '10',
      whiteSpace: 'nowrap',
      textStyle: 'small',
      color: 'text2',
      cursor: 'pointer',
      borderRight: 'line',
      _last: { borderRight: 'none' },
      _hover: { bg: 'hover' },
      '&:has(:checked)': { bg: 'track', color: 'text', textStyle: 'smallStrong' },
      '&:has(:focus-visible)': { boxShadow: 'focus', outline: '1px solid {colors.focus}', zIndex: 'sticky' },
      '&:has(:disabled)': { color: 'faint', cursor: 'default' },
    },
    input: { appearance: 'none', position: 'absolute', inset: '0', outline: 'none', cursor: 'inherit' },
  },
})
