import { css } from 'styled-system/css'

/** Rows of 20 px: time, level, unit, message. */
export const log = {
  ground: css({ bg: 'code', border: 'line', borderRadius: '6', overflowX: 'auto', py: '8' }),
  // One grid per row: a table would take its columns from the first row, which may be a spacer of the virtual list.
  table: css({ display: 'block', minW: { base: '640', md: 'full' }, textStyle: 'mono', '& > tbody': { display: 'block' } }),
  row: css({
    display: 'grid',
    gridTemplateColumns: { base: '{sizes.72} {sizes.32} minmax(0, 1fr)', md: '{sizes.72} {sizes.32} {sizes.120} minmax(0, 1fr)' },
    columnGap: '12',
    px: '12',
    h: '20',
    _hover: { bg: 'hover' },
    '&[data-boot]': { color: 'info.text' },
  }),
  waiting: css({ alignItems: 'center' }),
  time: css({ color: 'muted', whiteSpace: 'nowrap' }),
  level: css({
    fontWeight: 'medium',
    color: 'muted',
    '&[data-level=emerg], &[data-level=alert], &[data-level=crit], &[data-level=err]': { color: 'error.text' },
    '&[data-level=warning]': { color: 'warning.text' },
    '&[data-level=notice], &[data-level=info]': { color: 'info.text' },
  }),
  unit: css({ color: 'text2', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', hideBelow: 'md' }),
  message: css({ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }),
  foot: css({ textStyle: 'small', color: 'muted', pt: '8' }),
}
