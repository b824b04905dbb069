import { defineRecipe } from '@pandacss/dev'

export const tag = defineRecipe({
  className: 'tag',
  base: {
    display: 'inline-flex',
    alignItems: 'center',
    h: '18',
    px: '6',
    borderRadius: '2',
    bg: 'var(--tag-bg)',
    color: 'var(--tag-text)',
    textStyle: 'caption',
    minW: '0',
    maxW: '200',
    whiteSpace: 'nowrap',
    '& > span': { overflow: 'hidden', textOverflow: 'ellipsis' },
    '&[data-swatch]': { w: '8', h: '8', px: '0', bg: 'var(--tag-mark)' },
  },
})
