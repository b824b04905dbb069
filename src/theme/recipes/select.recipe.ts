import { defineSlotRecipe } from '@pandacss/dev'
import { floating, option } from '../floating'

const trigger = {
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: '8',
  w: 'full',
  minH: { base: 'controlTouch', md: 'control' },
  px: '10',
  border: 'control',
  borderRadius: '4',
  bg: 'surface',
  color: 'text',
  textStyle: 'field',
  textAlign: 'left',
  _focusVisible: { outline: 'none', borderColor: 'focus', boxShadow: 'focus' },
  '&&:is([data-invalid], [aria-invalid=true])': { borderColor: 'error', boxShadow: 'error' },
  _disabled: { bg: 'hover', color: 'faint', borderColor: 'line' },
  '&[data-placeholder-shown], & [data-placeholder-shown]': { color: 'muted' },
} as const

/** The list of options, as a menu; shared by select and combobox. */
const list = { ...floating, maxW: 'form', maxH: 'menuHeight', overflowY: 'auto', p: '4' } as const

export const select = defineSlotRecipe({
  className: 'select',
  slots: [
    'root',
    'label',
    'control',
    'trigger',
    'valueText',
    'indicator',
    'positioner',
    'content',
    'item',
    'itemText',
    'itemIndicator',
    'empty',
  ],
  base: {
    root: { w: 'full', minW: '0', '&[data-size=small]': { w: 'auto' } },
    control: { display: 'flex' },
    trigger: {
      ...trigger,
      '[data-size=small] &': {
        minH: { base: 'controlTouch', md: 'controlSmall' },
        px: '8',
        borderColor: 'lineStrong',
        textStyle: 'smallButton',
      },
    },
    valueText: { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
    indicator: { color: 'muted', flexShrink: 0 },
    content: list,
    item: { ...option, justifyContent: 'space-between' },
    itemIndicator: { '& svg': { color: 'bloom.text' } },
    empty: { px: '8', py: '6', color: 'muted' },
  },
})

export const combobox = defineSlotRecipe({
  className: 'combobox',
  slots: [
    'root',
    'label',
    'control',
    'input',
    'trigger',
    'positioner',
    'content',
    'item',
    'itemText',
    'itemIndicator',
    'empty',
    'token',
    'tokens',
  ],
  base: {
    root: { w: 'full', minW: '0' },
    control: {
      ...trigger,
      flexWrap: 'wrap',
      justifyContent: 'flex-start',
      gap: '4',
      py: '3',
      '&:focus-within': { borderColor: 'focus', boxShadow: 'focus' },
      '&:has(:disabled)': { bg: 'hover', color: 'faint', borderColor: 'line' },
      // Overrides the focus style: an invalid box stays red on focus.
      '&&:has([data-invalid], [aria-invalid=true])': { borderColor: 'error', boxShadow: 'error' },
    },
    tokens: { display: 'contents' },
    input: {
      flex: '1',
      minW: '64',
      h: '24',
      outline: 'none',
      textStyle: 'field',
      // Next to tokens it takes the rest of their line, until it has the focus.
      '.combobox__token ~ &:not(:focus)': { minW: '8', w: '8' },
    },
    trigger: { display: 'flex', color: 'muted', borderRadius: '2', ml: 'auto' },
    content: list,
    item: { ...option, justifyContent: 'space-between' },
    itemIndicator: { '& svg': { color: 'bloom.text' } },
    empty: { px: '8', py: '6', color: 'muted' },
    token: {
      display: 'inline-flex',
      alignItems: 'center',
      gap: '4',
      h: '20',
      px: '6',
      borderRadius: '3',
      bg: 'hover',
      textStyle: 'smallStrong',
      '& button': { color: 'muted', borderRadius: '2', _hover: { color: 'text' } },
    },
  },
})
