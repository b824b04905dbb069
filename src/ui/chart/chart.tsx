import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { chart, tag } from 'styled-system/recipes'
import { seriesTag } from './chart-colors'
import { ErrorBoundary } from '../layout/error-boundary'
import { IconButton } from '../icon/icon-button'

type ChartSeries = {
  label: string
  /** One value for each time; null is a gap. */
  values: readonly (number | null)[]
  /** The upper edge of a band over the line, such as p95 over p50. */
  upper?: readonly (number | null)[]
  /** What the upper edge is, in the table. */
  upperLabel?: string
}

export type ChartData = {
  /** Seconds since 1970, rising. */
  times: readonly number[]
  series: readonly ChartSeries[]
  unit?: string
  limits?: readonly number[]
  marks?: readonly { at: number; label: string }[]
  /** A range of time was selected by dragging, in seconds since 1970. */
  onZoom?: (from: number, to: number) => void
}

type Props = ChartData & {
  title: string
  /** The current value, next to the title: a chart never has only its line. */
  present?: ReactNode
  /** Shown in the box while there is nothing to draw. */
  empty?: string
  /** Its measurements are loading. */
  pending?: boolean
  /** Its measurements could not be loaded. */
  failed?: boolean
  tall?: boolean
  /** Offers the values as a table. */
  table?: boolean
}

const Plot = lazy(() => import('./chart-plot').then((module) => ({ default: module.Plot })))

const Values = lazy(() => import('./chart-table').then((module) => ({ default: module.ChartTable })))

const Said = ({ children }: { children: ReactNode }) => <p className={chart().failed}>{children}</p>

/** §8 */
const failure = <Said>Could not load the chart</Said>

/** A plot keeps its lines: other series are another plot. */
const shapeOf = ({ series }: ChartData) => series.map(({ label, upper }) => `${label}${upper ? ' band' : ''}`).join()

/** The box with its title and current value renders at once; the drawing library loads when it is first needed. */
export const Chart = ({ title, present, empty = 'No measurements yet', pending, failed, tall, table, ...data }: Props) => {
  const classes = chart()
  const [asTable, setAsTable] = useState(false)
  const drawn = data.series.some((series) => series.values.some((value) => value !== null))
  const waiting = <div className={classes.pending} aria-busy />
  return (
    <figure className={classes.root}>
      <figcaption className={classes.head}>
        <span className={classes.title}>{title}</span>
        {present !== undefined && <span className={classes.present}>{present}</span>}
        {table && drawn && !pending && !failed && (
          <span className={classes.tools}>
            <IconButton
              variant="ghost"
              size="small"
              align="end"
              icon={asTable ? 'monitor' : 'columns'}
              label={asTable ? `Show ${title} as a chart` : `Show ${title} as a table`}
              onClick={() => setAsTable(!asTable)}
            />
          </span>
        )}
      </figcaption>
      <div className={classes.plot} data-tall={tall || undefined} aria-busy={pending || undefined}>
        {pending ? (
          <div className={classes.pending} />
        ) : failed ? (
          failure
        ) : drawn ? (
          <ErrorBoundary instead={failure}>
            <Suspense fallback={waiting}>
              {asTable ? <Values {...data} title={title} /> : <Plot key={shapeOf(data)} {...data} title={title} />}
            </Suspense>
          </ErrorBoundary>
        ) : (
          <Said>{empty}</Said>
        )}
      </div>
      {drawn && data.series.length > 1 && (
        <div className={classes.legend}>
          {data.series.map(({ label }, index) => (
            <span key={label} className={classes.key}>
              <span className={tag()} data-swatch data-tag={seriesTag(index)} />
              {label}
            </span>
          ))}
        </div>
      )}
    </figure>
  )
}
