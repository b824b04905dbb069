import { defineSlotRecipe } from '@pandacss/dev'
import { drawnShapes } from '../cell-shapes'

const shapes = drawnShapes(0)
const square = { flexShrink: 0, w: '8', h: '8' } as const
const colors = (at: '' | '::before') => ({
  [`&[data-tag]${at}`]: { bg: 'var(--tag-mark)' },
  [`&[data-step="0"]${at}`]: { bg: 'text2' },
  [`&[data-step="1"]${at}`]: { bg: 'muted' },
  [`&[data-step="2"]${at}`]: { bg: 'faint' },
  [`&[data-step="3"]${at}`]: { bg: 'lineStrong' },
})
const swatches = {
  '&:not([data-shape]):is([data-tag], [data-step])::before': { content: '""', ...square },
  ...colors('::before'),
}

/** Above a list: per field a caption, a 6 px stacked bar and its values with counts. */
export const facets = defineSlotRecipe({
  className: 'facets',
  slots: ['root', 'facet', 'caption', 'value', 'swatch', 'name', 'sheet', 'sheetCaption', 'sheetValue'],
  base: {
    root: {
      display: 'grid',
      gridAutoFlow: 'column',
      gridAutoColumns: { base: 'minmax(0, 1fr)', md: 'minmax({sizes.180}, 1fr)', lg: 'minmax(0, 1fr)' },
      overflowX: 'auto',
      pb: { md: '16' },
      borderBottom: { base: 'line', md: 'none' },
    },
    // Under 768 px the first field only, as one strip: bar, shapes, counts.
    facet: {
      px: '16',
      borderLeft: 'line',
      minW: '0',
      color: 'muted',
      _first: { pl: '0', borderLeft: 'none' },
      _last: { pr: '0' },
      mdDown: { px: '0', display: 'flex', flexWrap: 'wrap', columnGap: '24', '&:not(:first-child)': { display: 'none' } },
      '& > h2 + *': { flexBasis: 'full', mb: { md: '6' } },
    },
    caption: { textStyle: 'caption', color: 'muted', mb: '6', mdDown: { srOnly: true } },
    value: {
      display: 'flex',
      alignItems: 'center',
      gap: '6',
      w: { base: 'max', md: 'full' },
      h: { base: 'controlTouch', md: '20' },
      borderRadius: '2',
      textAlign: 'left',
      color: 'text',
      whiteSpace: 'nowrap',
      _hover: { bg: 'subtle' },
      '&[aria-pressed=true]': { fontWeight: 'medium' },
      '&:not(:hover, [aria-pressed=true]) > span': { color: 'text2' },
      '&[aria-pressed=true] > span': { color: 'bloom.text' },
      '& > [data-mono]': { textStyle: 'mono' },
      ...shapes,
      ...swatches,
    },
    swatch: { ...square, ...colors('') },
    name: { mr: 'auto', mdDown: { srOnly: true }, overflow: 'hidden', textOverflow: 'ellipsis' },
    // All fields in one column for touch: in the sheet of small screens.
    sheet: { display: 'grid', gap: '20' },
    sheetCaption: { textStyle: 'strong', mb: '4' },
    sheetValue: {
      display: 'flex',
      alignItems: 'center',
      gap: '8',
      w: 'full',
      h: 'controlTouch',
      px: '8',
      mx: '-8',
      borderRadius: '4',
      textAlign: 'left',
      '&[aria-pressed=true]': { bg: 'bloom.bg', color: 'bloom.text', fontWeight: 'medium' },
      '& > span': { mr: 'auto' },
      '& > [data-mono]': { textStyle: 'mono' },
      ...shapes,
      ...swatches,
    },
  },
})
