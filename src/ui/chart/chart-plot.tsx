import { useEffect, useRef } from 'react'
import { chart } from 'styled-system/recipes'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { chartColors, onThemeChange } from './chart-colors'
import { columnsOf, optionsOf } from './chart-options'
import type { ChartData } from './chart'
import { summaryOf } from './chart-summary'

/** uPlot, mounted in the box; created again when the theme changes, otherwise resized and updated. */
export const Plot = ({ title, ...data }: ChartData & { title: string }) => {
  const host = useRef<HTMLDivElement>(null)
  const tip = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(data)
  const classes = chart()

  useEffect(() => {
    const box = host.current
    if (!box) return undefined
    const draw = () => {
      plot.current?.destroy()
      const size = { width: box.clientWidth, height: box.clientHeight }
      plot.current = new uPlot(
        optionsOf(() => latest.current, size, chartColors(box), tip),
        columnsOf(latest.current),
        box,
      )
    }
    draw()
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height: box.clientHeight }))
    resized.observe(box)
    const forget = onThemeChange(draw)
    return () => {
      forget()
      resized.disconnect()
      plot.current?.destroy()
    }
  }, [])

  useEffect(() => {
    latest.current = data
    plot.current?.setData(columnsOf(data))
  }, [data])

  return (
    <div role="img" aria-label={summaryOf(title, data)} className={classes.canvas}>
      <div ref={host} className={classes.canvas} />
      <div ref={tip} className={classes.tip} />
    </div>
  )
}
