import { mark, nav } from 'styled-system/recipes'

/** Five rows, up to 32 px; the lozenge is repeated from cell to cell, top to base. */
const small = { rows: [[12], [9.5, 14.5], [7, 12, 17], [9.5, 14.5], [12]], top: 3, step: 2.95, rx: 2.1, ry: 2.48, band: 2 }
/** Seven rows, over 32 px. */
const large = {
  rows: [[12], [10.05, 13.95], [8.1, 12, 15.9], [10.05, 13.95], [8.1, 12, 15.9], [10.05, 13.95], [12]],
  top: 2.7,
  step: 2.18,
  rx: 1.64,
  ry: 1.83,
  band: 2,
}

const bracts =
  'M12 20.9C7.3 20.3 3.6 16.2 2.3 8.6 4.7 14.3 8 17.7 12 18.7 16 17.7 19.3 14.3 21.7 8.6 20.4 16.2 16.7 20.3 12 20.9z'
const stem = 'M11.3 20h1.4v3.5h-1.4z'

const drawRow = ({ rows, top, step, rx, ry }: typeof small, index: number) =>
  (rows[index] ?? []).map((x) => `M${x} ${(top + step * index - ry).toFixed(2)}l${rx} ${ry}-${rx} ${ry}-${rx}-${ry}z`).join('')

/** Each row, which moves by itself while it is busy, or those of one color in one path: the fewer elements, the better. */
const drawRows = (drawing: typeof small, isBusy: boolean) => {
  const rows = drawing.rows.map((_, index) => ({ path: drawRow(drawing, index), isBand: index === drawing.band }))
  const ofColor = (isBand: boolean) => ({
    path: rows.map((row) => (row.isBand === isBand ? row.path : '')).join(''),
    isBand,
  })
  return isBusy ? rows : [ofColor(false), ofColor(true)]
}

type Props = { size?: number; look?: 'band' | 'busy' | 'empty'; label?: string }

/**
 * The logo, the flower head of a teasel: a lattice with one row in bloom. Busy animates that row; empty shows only the outline.
 */
export const Mark = ({ size = 26, look = 'band', label }: Props) => {
  const drawing = size > 32 ? large : small
  const rows = drawRows(drawing, look === 'busy')
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      className={mark()}
      data-look={look}
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      {rows.map(({ path, isBand }, index) => (
        <path key={index} d={path} data-row={rows.length - 1 - index} data-band={isBand || undefined} />
      ))}
      <path d={bracts + stem} />
    </svg>
  )
}

export const Wordmark = ({ size = 26 }: { size?: number }) => (
  <span className={nav().brand}>
    <Mark size={size} />
    Teasel
  </span>
)
