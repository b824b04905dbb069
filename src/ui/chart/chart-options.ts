import type { RefObject } from 'react'
import type uPlot from 'uplot'
import { chartRange } from '../../lib/nice-range'
import type { ChartData } from './chart'
import type { ChartColors } from './chart-colors'
import { amount, describePoint, timeWord } from './chart-point'

/** In pixels: less is a click. */
const leastSelection = 8

/** Times, then for each series its line and, if it has one, the upper edge of its band. */
export const columnsOf = ({ times, series }: ChartData): uPlot.AlignedData => [
  [...times],
  ...series.flatMap(({ values, upper }) => (upper ? [[...values], [...upper]] : [[...values]])),
]

/** Leaves out labels that the right edge would cut: half a label of five signs is 17 px wide, and 44 px are beside the plot. */
const timeWords = ({ scales: { x }, width }: uPlot, splits: number[]) => {
  const { min = 0, max = 0 } = x ?? {}
  const [first = min, second = max] = splits
  const words = splits.map((at) => timeWord(at, max - min, second - first))
  const half = (17 * (words[0]?.length ?? 5)) / 5
  const last = max - ((max - min) * half) / Math.max(width - 44, half)
  return words.map((word, n) => ((splits[n] ?? 0) > last ? '' : word))
}

/** Limits as dashed lines with their value; releases as a line with a marker on top and their name. */
const drawOver = (data: ChartData, colors: ChartColors, family: string) => (u: uPlot) => {
  const { ctx, bbox } = u
  const ratio = window.devicePixelRatio
  const right = bbox.left + bbox.width
  ctx.save()
  ctx.font = `${11 * ratio}px ${family}`
  ctx.lineWidth = ratio
  ctx.strokeStyle = colors.limit
  ctx.setLineDash([4 * ratio, 3 * ratio])
  const labels: { base: number; end: number }[] = []
  for (const limit of data.limits ?? []) {
    const y = u.valToPos(limit, 'y', true)
    if (y < bbox.top || y > bbox.top + bbox.height) continue
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(right, y)
    ctx.stroke()
    ctx.fillStyle = colors.words
    // At the left, because releases are most often named at the right.
    ctx.textAlign = 'left'
    ctx.textBaseline = 'bottom'
    // Above its line, or below one that has no room above it; beside a label that is there already.
    const base = y - bbox.top < 14 * ratio ? y + 14 * ratio : y - 2 * ratio
    const label = `limit ${amount(limit)}`
    const beside = labels.filter((one) => Math.abs(one.base - base) < 12 * ratio)
    const x = Math.max(bbox.left, ...beside.map(({ end }) => end)) + 4 * ratio
    ctx.fillText(label, x, base)
    labels.push({ base, end: x + ctx.measureText(label).width + 4 * ratio })
  }
  ctx.setLineDash([])
  ctx.strokeStyle = colors.mark
  ctx.fillStyle = colors.mark
  ctx.textBaseline = 'top'
  const places = (data.marks ?? []).map((mark) => ({ ...mark, x: u.valToPos(mark.at, 'x', true) }))
  for (const [index, { x, label }] of places.entries()) {
    if (x < bbox.left || x > right) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    ctx.beginPath()
    ctx.moveTo(x, bbox.top - 4 * ratio)
    ctx.lineTo(x + 3 * ratio, bbox.top)
    ctx.lineTo(x, bbox.top + 4 * ratio)
    ctx.lineTo(x - 3 * ratio, bbox.top)
    ctx.fill()
    // Without space on either side the name is left out.
    const needed = ctx.measureText(label).width + 8 * ratio
    const isFree = (to: number) =>
      to >= bbox.left && to <= right && !places.some((one, n) => n !== index && (one.x - x) * (one.x - to) <= 0)
    const side = [1, -1].find((way) => isFree(x + way * needed))
    if (side === undefined) continue
    ctx.textAlign = side === 1 ? 'left' : 'right'
    ctx.fillText(label, x + side * 6 * ratio, bbox.top)
  }
  ctx.restore()
}

/** The values between two gaps: a line needs two, so these are drawn as points. */
const findLonely = ({ data }: uPlot, series: number): number[] | null => {
  const values = [...(data[series] ?? [])]
  const lonely = values.flatMap((value, n) => (value != null && values[n - 1] == null && values[n + 1] == null ? [n] : []))
  return lonely.length === 0 ? null : lonely
}

/** The options of uPlot. The data is read at each drawing, so that new data needs no new plot. */
export const optionsOf = (
  read: () => ChartData,
  size: { width: number; height: number },
  colors: ChartColors,
  tip: RefObject<HTMLElement | null>,
): uPlot.Options => {
  const { series } = read()
  const { fontFamily } = getComputedStyle(document.body)
  const font = `11px ${fontFamily}`
  const axis = { stroke: colors.words, font, ticks: { show: false } }
  const single = series.length === 1
  const bands: uPlot.Band[] = []
  const lines: uPlot.Series[] = []
  series.forEach(({ label, upper }, index) => {
    const stroke = single ? colors.line : colors.series(index)
    // After four series the later ones are dashed too: color alone does not distinguish them.
    lines.push({
      label,
      stroke,
      width: 1.5,
      points: { show: false, size: 4, fill: stroke, filter: findLonely },
      ...(index >= 4 && { dash: [4, 2] }),
    })
    if (!upper) return
    lines.push({ label: `${label} upper`, stroke: 'transparent', width: 0, points: { show: false } })
    bands.push({
      series: [lines.length, lines.length - 1],
      fill: stroke.replace(/^rgb\((.*)\)$/, 'rgb($1 / 0.14)').replaceAll(',', ' '),
    })
  })
  return {
    ...size,
    padding: [6, 4, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: read().onZoom !== undefined, y: false, setScale: false }, points: { show: false } },
    scales: {
      x: { time: true },
      y: {
        range: (_, low, high) => {
          const { limits = [], unit } = read()
          const [bottom, , top] = chartRange(low ?? 0, high ?? 1, limits, unit === '%' ? 100 : undefined)
          return [bottom, top]
        },
      },
    },
    axes: [
      {
        ...axis,
        size: 20,
        gap: 6,
        grid: { show: false },
        space: 64,
        values: timeWords,
      },
      {
        ...axis,
        size: 40,
        gap: 6,
        grid: { stroke: colors.grid, width: 1 },
        splits: (_, __, low, high) => [low, (low + high) / 2, high],
        values: (_, splits) => splits.map(amount),
      },
    ],
    series: [{}, ...lines],
    bands,
    hooks: {
      setSelect: [
        (u) => {
          const { left, width } = u.select
          if (width < leastSelection) return
          read().onZoom?.(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'))
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
      draw: [(u) => drawOver(read(), colors, fontFamily)(u)],
      setCursor: [
        (u) => {
          const element = tip.current
          if (!element) return
          const { idx, left = -1 } = u.cursor
          element.textContent = idx == null || left < 0 ? '' : describePoint(read(), idx)
          const x = Math.min(Math.max(0, left + 40 - element.offsetWidth / 2), Math.max(0, u.width - element.offsetWidth))
          element.style.translate = `${x}px 0`
        },
      ],
    },
  }
}
