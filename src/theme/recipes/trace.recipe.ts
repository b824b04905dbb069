import { defineSlotRecipe } from '@pandacss/dev'

/** The answer first, then every check in its row; the failed one is highlighted, the checks after it are not reached. */
export const trace = defineSlotRecipe({
  className: 'trace',
  slots: ['answer', 'sentence', 'all', 'list', 'row', 'number', 'passed', 'name', 'observed'],
  base: {
    answer: {
      display: 'grid',
      gridTemplateColumns: 'max-content minmax(0, 1fr)',
      columnGap: '8',
      px: '16',
      py: '12',
      bg: 'var(--kind-bg)',
      color: 'var(--kind-text)',
      borderBottom: 'line',
      '&:has(+ [hidden])': { borderBottom: 'none' },
      '& svg': { mt: '4' },
    },
    sentence: { textStyle: 'bold', '& + *': { gridColumn: '2', textStyle: 'small' } },
    all: {
      display: { base: 'flex', md: 'none' },
      alignItems: 'center',
      minH: 'controlTouch',
      px: '16',
      color: 'text2',
      cursor: 'pointer',
    },
    list: { py: '8' },
    row: {
      display: 'grid',
      gridTemplateColumns: '{sizes.18} {sizes.12} minmax(0, 1fr) auto',
      alignItems: 'center',
      columnGap: '8',
      minH: '24',
      px: '16',
      '&[data-mark=stopped]': { bg: 'var(--kind-bg)', color: 'var(--kind-text)', fontWeight: 'medium' },
      '&[data-mark=notreached]': { color: 'muted' },
    },
    number: { textStyle: 'mono', color: 'muted', textAlign: 'right' },
    passed: { color: 'success' },
    name: { minW: '0' },
    observed: {
      textStyle: 'mono',
      color: 'muted',
      textAlign: 'right',
      '[data-mark=stopped] &': { color: 'inherit' },
      overflowWrap: 'anywhere',
    },
  },
})
