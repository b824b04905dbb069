import { defineSlotRecipe } from '@pandacss/dev'

export const dropZone = defineSlotRecipe({
  className: 'drop',
  slots: ['root', 'zone', 'input', 'choose', 'list', 'file', 'size'],
  base: {
    root: { display: 'grid', gap: '8' },
    zone: {
      position: 'relative',
      display: 'flex',
      alignItems: 'center',
      justifyContent: 'center',
      flexWrap: 'wrap',
      gap: '4',
      minH: '64',
      px: '16',
      py: '12',
      border: 'dashed',
      borderRadius: '6',
      color: 'text2',
      textAlign: 'center',
      _hover: { bg: 'subtle' },
      '&[data-over]': { bg: 'bloom.bg', borderColor: 'bloom.mark' },
      '&:has(:focus-visible)': { outline: '2px solid {colors.focus}', outlineOffset: '2px' },
      '&:has([aria-invalid=true])': { borderColor: 'error' },
      '&:has(:disabled)': { bg: 'hover', color: 'faint' },
    },
    input: { position: 'absolute', inset: '0', w: 'full', opacity: '0', cursor: 'pointer' },
    choose: { color: 'bloom.text', fontWeight: 'medium' },
    list: { display: 'grid', gap: '4' },
    size: { ml: 'auto', textStyle: 'small', color: 'muted' },
    file: { display: 'flex', alignItems: 'center', gap: '8', minH: 'control', '& code': { textStyle: 'mono' } },
  },
})
