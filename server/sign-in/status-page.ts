import { html, Markup } from '../core/html'

// A flower head of the plant, row by row: the number of cells from tip to base, and the rows in bloom.
const counts = [1, 2, 3, 4, 5, 6, 5, 6, 7, 6, 7, 8, 7, 8, 7, 8, 7, 8, 7, 6, 7, 6, 5, 6, 5, 4, 3, 2]
const band = { from: 10, to: 12 }
const step = { x: 30.2, y: 16 }
const middle = 330
const top = 89

const cells = (from: number, to: number, rx: number, ry: number) =>
  counts
    .slice(from, to + 1)
    .flatMap((count, row) =>
      Array.from({ length: count }, (_, column) => {
        const x = middle + (column - (count - 1) / 2) * step.x
        const y = top + (from + row) * step.y - ry
        return `M${x.toFixed(1)} ${y.toFixed(1)}l${rx} ${ry}-${rx} ${ry}-${rx}-${ry}z`
      }),
    )
    .join('')

const label = (text: string, y: number, from: number) =>
  html`<path class="rule" d="M${from} ${y}H558" /><text x="566" y="${y + 4}">${text}</text>`

/** The illustration of the sign-in pages: a ring of bloom on the flower head. */
export const illustration: Markup = html`<aside class="plate" aria-hidden="true">
  <svg viewBox="0 0 660 800" preserveAspectRatio="xMidYMid meet">
    <path class="waiting" d="${cells(0, band.from - 1, 12.4, 13.2)}" />
    <path class="updating" d="${cells(band.from, band.to, 13.4, 14.2)}" />
    <path class="confirmed" d="${cells(band.to + 1, counts.length - 1, 13.4, 14.2)}" />
    <path
      class="bracts"
      d="M109 226C124 424 212 563 330 583 448 563 536 424 552 226M171 344C183 452 250 548 330 565 410 548 477 452 490 344"
    />
    <path class="stem" d="M330 540V2400" />
    ${label('waiting', 152, 416)}${label('updating', 264, 460)}${label('confirmed', 408, 444)}
  </svg>
</aside>`

const lozenges = (cells: readonly [number, number][]) =>
  cells.map(([x, y]) => `M${x} ${(y - 2.48).toFixed(2)}l2.1 2.48-2.1 2.48-2.1-2.48z`).join('')

/** The logo at 26 px. */
export const mark: Markup = html`<svg class="mark" width="26" height="26" viewBox="0 0 24 24" aria-hidden="true">
  <path
    class="band"
    d="${lozenges([
      [7, 8.9],
      [12, 8.9],
      [17, 8.9],
    ])}"
  />
  <path
    d="${lozenges([
      [12, 3],
      [9.5, 5.95],
      [14.5, 5.95],
      [9.5, 11.85],
      [14.5, 11.85],
      [12, 14.8],
    ])}"
  />
  <path d="M12 20.9C7.3 20.3 3.6 16.2 2.3 8.6 4.7 14.3 8 17.7 12 18.7 16 17.7 19.3 14.3 21.7 8.6 20.4 16.2 16.7 20.3 12 20.9z" />
  <path d="M11.3 20h1.4v3.5h-1.4z" />
</svg>`
