import { defineRecipe } from '@pandacss/dev'

export const tag = defineRecipe({
  className: 'tag',
  base: {
    // One element: rows of a long list contain several. The height of the line centers the text.
    display: 'inline-block',
    h: '18',
    lineHeight: '18px',
    px: '6',
    borderRadius: '2',
    bg: 'var(--tag-bg)',
    color: 'var(--tag-text)',
    textStyle: 'caption',
    minW: '0',
    maxW: '200',
    whiteSpace: 'nowrap',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    verticalAlign: 'middle',
    '&[data-swatch]': { w: '8', h: '8', px: '0', bg: 'var(--tag-mark)' },
  },
})
