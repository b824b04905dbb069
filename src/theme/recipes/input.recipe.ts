import { defineSlotRecipe } from '@pandacss/dev'

/** The box of every text control: the border belongs to the box, so that units and icons are inside it. */
export const input = defineSlotRecipe({
  className: 'input',
  slots: ['root', 'control', 'start', 'end'],
  base: {
    root: {
      display: 'flex',
      alignItems: 'center',
      w: 'full',
      minH: { base: 'controlTouch', md: 'control' },
      border: 'control',
      borderRadius: '4',
      bg: 'surface',
      color: 'text',
      transitionProperty: 'border-color, box-shadow',
      transitionDuration: 'hover',
      '&:has(:focus-visible), &[data-focus]': { borderColor: 'focus', boxShadow: 'focus' },
      // Also on focus.
      '&&:is([data-invalid], :has([aria-invalid=true]))': { borderColor: 'error', boxShadow: 'error' },
      '&:is([data-disabled], :has(:disabled))': { bg: 'hover', color: 'faint', borderColor: 'line' },
      '&[data-size=small]': { minH: { base: 'controlTouch', md: 'controlSmall' }, borderColor: 'lineStrong' },
      '&[data-quiet]': { borderColor: 'lineStrong' },
    },
    control: {
      flex: '1',
      minW: '0',
      // Otherwise its box is at least as wide as some 20 characters of the typeface: 306 px with Inter.
      w: 'full',
      px: '10',
      py: '4',
      h: 'full',
      textStyle: 'field',
      outline: 'none',
      appearance: 'none',
      '&[data-mono]': { textStyle: 'mono', fontSize: { base: '1rem', md: '0.75rem' } },
      '&:is(textarea)': { py: '6', resize: 'vertical' },
      '&[type=number]': { appearance: 'textfield' },
      '&::-webkit-inner-spin-button, &::-webkit-search-cancel-button': { appearance: 'none' },
    },
    start: { display: 'flex', alignItems: 'center', pl: '10', mr: '-2', color: 'muted' },
    end: { display: 'flex', alignItems: 'center', gap: '4', pr: '10', color: 'muted', textStyle: 'small' },
  },
})
