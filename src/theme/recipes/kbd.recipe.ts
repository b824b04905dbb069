import { defineRecipe } from '@pandacss/dev'

export const kbd = defineRecipe({
  className: 'kbd',
  base: {
    display: 'inline-flex',
    alignItems: 'center',
    justifyContent: 'center',
    minW: '18',
    h: '18',
    px: '4',
    border: 'strong',
    borderRadius: '3',
    fontFamily: 'sans',
    textStyle: 'caption',
    color: 'muted',
  },
})
