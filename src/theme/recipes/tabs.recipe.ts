import { defineSlotRecipe } from '@pandacss/dev'

/** 40 high, 20 apart, 2 px under the selected one: a list of links (`data-status=active`). */
export const tabs = defineSlotRecipe({
  className: 'tabs',
  staticCss: ['*'],
  slots: ['list', 'trigger'],
  base: {
    list: {
      display: 'flex',
      gap: '20',
      mx: { base: '-16', md: '-24' },
      px: { base: '16', md: '24' },
      overflowX: 'auto',
      overflowY: 'hidden',
      borderBottom: 'line',
      scrollbarWidth: 'none',
      mb: '16',
    },
    trigger: {
      position: 'relative',
      display: 'inline-flex',
      alignItems: 'center',
      gap: '6',
      h: '40',
      flexShrink: 0,
      color: 'text2',
      borderBottom: 'tabClear',
      whiteSpace: 'nowrap',
      _hover: { color: 'text' },
      _focusVisible: { outlineOffset: '-2px' },
      '&:is([aria-current], [data-status=active])': {
        color: 'text',
        fontWeight: 'medium',
        borderBottom: 'tab',
      },
    },
  },
})
