import { defineRecipe } from '@pandacss/dev'

export const link = defineRecipe({
  className: 'link',
  base: {
    color: 'bloom.text',
    borderRadius: '2',
    textUnderlineOffset: '3px',
    _hover: { textDecoration: 'underline' },
    // A quiet link has the text color: the name in a row, a link in the header.
    '&[data-quiet]': { color: 'text2', _hover: { color: 'text', textDecoration: 'none' } },
    '&[data-ink]': { color: 'text', _hover: { textDecoration: 'underline', textDecorationColor: 'control' } },
  },
})
