import { defineSlotRecipe } from '@pandacss/dev'
import { cellShapes } from '../cell-shapes'

/**
 * Under 768 px a stacked table shows each row in two lines: `data-at` gives a cell's position; cells without it are hidden
 * there.
 */
const stacked = {
  root: { mdDown: { '[data-stack] > &': { display: 'block', '& > tbody': { display: 'block' } } } },
  head: { mdDown: { '[data-stack] &': { srOnly: true } } },
  row: {
    mdDown: {
      '[data-stack] &:not([data-spacer])': {
        display: 'grid',
        gridTemplateColumns: 'minmax(0, 1fr) auto',
        '&:has([data-at=check])': { gridTemplateColumns: 'auto minmax(0, 1fr) auto' },
        alignItems: 'center',
        columnGap: '8',
        rowGap: '4',
        h: 'auto',
        minH: '64',
        px: '12',
        py: '8',
      },
      '[data-stack][data-scroll] &:not([data-spacer])': { px: '16' },
    },
  },
  cell: {
    mdDown: {
      '[data-stack] tr:not([data-spacer]) > &': {
        display: 'none',
        p: '0',
        '&[data-at]': { display: 'block' },
        '&[data-at=lead]': { gridArea: '1 / 1' },
        '&[data-at=end]': { gridArea: '1 / 2', textStyle: 'small', color: 'muted', textAlign: 'right' },
        '&[data-at=sub]': { gridArea: '2 / 1', textStyle: 'small' },
        '&[data-at=subEnd]': { gridArea: '2 / 2', textStyle: 'small', maxW: '180', textAlign: 'right' },
      },
      '[data-stack] tr > &[data-at=check]': { gridArea: '1 / 1 / 3 / 2', overflow: 'visible' },
      '[data-stack] tr:has([data-at=check]) > &': {
        '&[data-at=lead]': { gridArea: '1 / 2' },
        '&[data-at=end]': { gridArea: '1 / 3' },
        '&[data-at=sub]': { gridArea: '2 / 2' },
        '&[data-at=subEnd]': { gridArea: '2 / 3' },
      },
      // Under a name with a shape, the second line begins where the name does.
      '[data-stack] tr:has([data-named]) > &[data-at=sub]': { pl: '20' },
    },
  },
} as const

/** A body as high as all rows, with those in view in their places: a new row costs its own layout, and no other row moves. */
const virtual = {
  root: { '&[data-virtual]': { display: 'block', '& > tbody': { display: 'block', position: 'relative' } } },
  head: { md: { '[data-virtual] > &': { display: 'table', tableLayout: 'fixed', w: 'full' } } },
  row: {
    '[data-virtual] > tbody > &': { position: 'absolute', insetX: '0', contain: 'layout style' },
    md: {
      '[data-virtual] > tbody > &': {
        display: 'grid',
        gridTemplateColumns: 'var(--columns)',
        alignItems: 'center',
        h: 'var(--row)',
      },
    },
    // Compositing it would need a layer for each row.
    '[data-virtual] & [data-shape=running]': { animation: 'none' },
  },
  // A clip costs as much paint as the rest of its row: only text that is longer than its column has one.
  cell: {
    '[data-virtual] > tbody > tr > &:not([data-cut])': { overflow: 'visible', '& :is(a, [data-tag])': { overflow: 'visible' } },
  },
} as const

/** A text column after a column of numbers has more distance. */
const parted = { '[data-align=end] + &:not([data-align=end])': { md: { pl: '24' } } } as const

/** Lines between rows, no box; the lines extend 12 px past the text, which is aligned with the page. */
export const table = defineSlotRecipe({
  className: 'table',
  slots: ['frame', 'root', 'head', 'th', 'sort', 'row', 'cell', 'name'],
  base: {
    frame: {
      mx: '-12',
      minW: '0',
      // Positioned, as hidden text in it would otherwise make the page as wide as the table.
      '&[data-scroll]': { overflowX: 'auto', mx: '0', position: 'relative' },
      // The last row can be scrolled out from under the bar of the selection.
      '[data-bulk] ~ &': { pb: '64' },
    },
    root: { ...stacked.root, ...virtual.root, tableLayout: 'fixed', minW: 'full', '&[data-auto]': { tableLayout: 'auto' } },
    head: {
      ...stacked.head,
      ...virtual.head,
      position: 'sticky',
      top: 'header',
      // In a box that scrolls sideways a sticky head would be at the box's top, under the first rows.
      '[data-scroll] &': { position: 'static' },
      zIndex: 'sticky',
      bg: 'surface',
      boxShadow: '0 1px 0 {colors.line}',
    },
    th: {
      h: '32',
      px: '8',
      textStyle: 'smallStrong',
      color: 'muted',
      textAlign: 'left',
      whiteSpace: 'nowrap',
      _first: { pl: '12', '[data-scroll] &': { pl: '16' } },
      _last: { pr: '12', '[data-scroll] &': { pr: '16' } },
      '&[data-align=end]': { textAlign: 'right' },
      ...parted,
      '&[aria-sort]:not([aria-sort=none])': { color: 'text' },
    },
    sort: {
      display: 'inline-flex',
      alignItems: 'center',
      gap: '4',
      borderRadius: '2',
      _hover: { color: 'text' },
      '& svg': { transitionProperty: 'rotate', transitionDuration: 'menu' },
      '[aria-sort=ascending] > & svg': { rotate: '180deg' },
    },
    row: {
      ...stacked.row,
      ...virtual.row,
      h: 'row',
      borderBottom: 'line',
      // The panel around it has the last line.
      '[data-scroll] tbody > &:last-child': { borderBottom: 'none' },
      '[data-dense] &': { h: 'rowDense' },
      '&:hover:not([aria-selected=true])': { bg: 'subtle' },
      '&[data-open]': { cursor: 'pointer' },
      '&[aria-selected=true]': { bg: 'bloom.bg' },
      '&[data-dimmed]': { color: 'muted' },
      '&[data-spacer]': { border: 'none', h: 'auto', _hover: { bg: 'transparent' } },
    },
    cell: {
      ...stacked.cell,
      ...virtual.cell,
      ...cellShapes,
      px: '8',
      py: '4',
      textStyle: 'body',
      overflow: 'hidden',
      textOverflow: 'ellipsis',
      whiteSpace: 'nowrap',
      // The browser's own sheet has `inherit`: each change of a row's place would then compute its cells again.
      verticalAlign: 'middle',
      _first: { pl: '12', '[data-scroll] &': { pl: '16' } },
      _last: { pr: '12', '[data-scroll] &': { pr: '16' } },
      '&[data-align=end]': { textAlign: 'right' },
      ...parted,
      '&[data-mono]': { textStyle: 'mono' },
      '&[data-quiet]': { color: 'muted' },
      '&[data-menu]': { overflow: 'visible', py: '0' },
      '[data-dense] &': { md: { py: '2' } },
      '[data-dense] &[data-menu]': { md: { py: '0' } },
      // Aligns the content of a ghost button, not its box, with the texts above.
      '&[data-menu][data-align=end] > :last-child': { mr: '-8' },
      '&[data-wrap]': { whiteSpace: 'normal' },
    },
    name: {
      display: 'flex',
      alignItems: 'center',
      gap: '8',
      minW: '0',
      '& > a': { minW: '0', overflow: 'hidden', textOverflow: 'ellipsis' },
      '& code': { textStyle: 'mono' },
    },
  },
})
