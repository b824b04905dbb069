import { defineSlotRecipe } from '@pandacss/dev'

/** A state in words: tint, text and shape of one kind. */
export const chip = defineSlotRecipe({
  className: 'chip',
  slots: ['root', 'status', 'proof', 'part'],
  base: {
    root: {
      display: 'inline-flex',
      justifySelf: 'start',
      alignItems: 'center',
      gap: '6',
      h: '20',
      px: '8',
      borderRadius: '3',
      bg: 'var(--kind-bg)',
      color: 'var(--kind-text)',
      textStyle: 'smallStrong',
      whiteSpace: 'nowrap',
      maxW: 'full',
      '& > span': { overflow: 'hidden', textOverflow: 'ellipsis' },
    },
    status: {
      display: 'inline-flex',
      alignItems: 'center',
      verticalAlign: 'middle',
      gap: '6',
      minW: '0',
      maxW: 'full',
      '& > span': { overflow: 'hidden', textOverflow: 'ellipsis' },
    },
    // A verifiable fact: outlined, its parts separated by lines.
    proof: {
      display: 'inline-flex',
      justifySelf: 'start',
      alignItems: 'stretch',
      flexWrap: { base: 'wrap', md: 'nowrap' },
      minH: '24',
      border: 'strong',
      borderRadius: '3',
      textStyle: 'small',
      color: 'text2',
      maxW: 'full',
      overflow: 'hidden',
    },
    part: {
      display: 'inline-flex',
      alignItems: 'center',
      gap: '6',
      minH: '24',
      px: '8',
      whiteSpace: 'nowrap',
      borderLeft: { md: 'line' },
      _first: { borderLeft: 'none' },
      '&[data-kind]': { color: 'var(--kind-text)', fontWeight: 'medium' },
      '& b': { color: 'text', fontWeight: 'medium' },
    },
  },
})
