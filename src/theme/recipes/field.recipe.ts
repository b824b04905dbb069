import { defineSlotRecipe } from '@pandacss/dev'

export const field = defineSlotRecipe({
  className: 'field',
  slots: ['root', 'label', 'info', 'asterisk', 'foot', 'hint', 'error', 'counter', 'readOnly', 'choices'],
  base: {
    root: { display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '4', minW: '0', border: 'none' },
    label: { display: 'flex', alignItems: 'center', gap: '4', minH: '20', textStyle: 'strong', color: 'text', mb: '2' },
    info: {
      display: 'grid',
      placeItems: 'center',
      w: '20',
      h: '20',
      borderRadius: '2',
      color: 'muted',
      _hover: { color: 'text' },
    },
    asterisk: { color: 'error.text', ml: '4' },
    foot: { display: 'flex', gap: '8', textStyle: 'small', color: 'muted' },
    hint: { color: 'muted' },
    error: { display: 'flex', alignItems: 'flex-start', gap: '4', color: 'error.text', '& svg': { mt: '2' } },
    counter: { ml: 'auto', whiteSpace: 'nowrap' },
    choices: { display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', justifyItems: 'start' },
    readOnly: {
      display: 'flex',
      alignItems: 'center',
      gap: '8',
      minH: '20',
      color: 'text',
      overflowWrap: 'anywhere',
      '&[data-mono]': { textStyle: 'mono' },
    },
  },
})
