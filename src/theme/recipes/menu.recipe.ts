import { defineSlotRecipe } from '@pandacss/dev'
import { floating, option } from '../floating'

export const menu = defineSlotRecipe({
  className: 'menu',
  staticCss: ['*'],
  slots: [
    'root',
    'trigger',
    'positioner',
    'content',
    'item',
    'itemGroup',
    'itemGroupLabel',
    'separator',
    'itemText',
    'indicator',
  ],
  base: {
    content: { ...floating, p: '4' },
    item: {
      ...option,
      '&[data-danger]': { color: 'error.text', '& svg': { color: 'error.text' }, _highlighted: { bg: 'error.bg' } },
    },
    itemGroupLabel: {
      px: '8',
      py: '4',
      textStyle: 'strong',
      color: 'text',
      '& small': { display: 'block', textStyle: 'body', color: 'muted' },
    },
    indicator: { ml: 'auto', '& svg': { color: 'bloom.text' } },
    separator: { mx: '-4', my: '4', borderTop: 'line' },
  },
})
