import { defineRecipe } from '@pandacss/dev'

/** A count in a box, and the only word in capitals. */
export const badge = defineRecipe({
  className: 'badge',
  base: {
    display: 'inline-flex',
    alignItems: 'center',
    h: '16',
    px: '4',
    borderRadius: '2',
    bg: 'hover',
    color: 'muted',
    textStyle: 'caption',
    '&[data-stage]': {
      bg: 'transparent',
      border: 'bloom',
      color: 'bloom.text',
      letterSpacing: '0.06em',
      fontWeight: 'semibold',
      fontSize: '0.625rem',
    },
  },
})
