import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { chart } from 'styled-system/recipes'
import { ErrorBoundary } from './error-boundary'

type ChartSeries = {
  label: string
  /** One value for each time; null is a gap. */
  values: readonly (number | null)[]
  /** The upper edge of a band over the line, such as p95 over p50. */
  upper?: readonly (number | null)[]
}

export type ChartData = {
  /** Seconds since 1970, rising. */
  times: readonly number[]
  series: readonly ChartSeries[]
  unit?: string
  limits?: readonly number[]
  marks?: readonly { at: number; label: string }[]
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
}

const Plot = lazy(() => import('./chart-plot').then((module) => ({ default: module.Plot })))

const Said = ({ children }: { children: ReactNode }) => <p className={chart().failed}>{children}</p>

/** §8 */
const failure = <Said>Could not load the chart</Said>

/** The box with its title and current value renders at once; the drawing library loads when it is first needed. */
export const Chart = ({ title, present, empty = 'No measurements yet', pending, failed, tall, ...data }: Props) => {
  const classes = chart()
  const drawn = data.series.some((series) => series.values.some((value) => value !== null))
  return (
    <figure className={classes.root}>
      <figcaption className={classes.head}>
        <span className={classes.title}>{title}</span>
        {present !== undefined && <span className={classes.present}>{present}</span>}
      </figcaption>
      <div className={classes.plot} data-tall={tall || undefined} aria-busy={pending || undefined}>
        {pending ? (
          <div className={classes.pending} />
        ) : failed ? (
          failure
        ) : drawn ? (
          <ErrorBoundary instead={failure}>
            <Suspense fallback={<div className={classes.pending} aria-busy />}>
              <Plot {...data} title={title} />
            </Suspense>
          </ErrorBoundary>
        ) : (
          <Said>{empty}</Said>
        )}
      </div>
    </figure>
  )
}
