import type { ReactNode } from 'react'
import { facets } from 'styled-system/recipes'
import { StackedBar } from '../chart/stacked-bar'
import type { Part } from '../chart/stacked-bar'
import { drawnShape } from '../layout/shape'
import { Skeleton } from '../layout/skeleton'
import type { ShapeName } from '../layout/shape'

export type FacetValue = Part & { value: string; shape?: ShapeName; mono?: boolean; chosen?: boolean }
export type Facet = { field: string; label: string; values: readonly FacetValue[] }

type Props = {
  facets: readonly Facet[]
  onChoose?: (field: string, value: string) => void
  format?: (count: number) => ReactNode
}

type ValueProps = { value: FacetValue; format: (count: number) => ReactNode; nameClass?: string | undefined }

const Value = ({ value, format, nameClass }: ValueProps) => (
  <>
    <span className={nameClass} data-mono={value.mono || undefined}>
      {value.label}
    </span>
    {format(value.count)}
  </>
)

/** The button draws the shape or the color of its value itself: a list of thousands has few elements to spare. */
const drawn = ({ shape, tag, step }: FacetValue) => (shape ? drawnShape(shape) : { 'data-tag': tag, 'data-step': step })

/** The same for touch: every field with all its values, in one column. */
export const FacetList = ({ facets: fields, onChoose, format = String }: Props) => {
  const classes = facets()
  return (
    <div className={classes.sheet}>
      {fields
        .filter(({ values }) => values.length > 0)
        .map((facet) => (
          <section key={facet.field} aria-label={facet.label}>
            <h3 className={classes.sheetCaption}>{facet.label}</h3>
            {facet.values.map((value) => (
              <button
                key={value.value}
                type="button"
                className={classes.sheetValue}
                aria-pressed={value.chosen ?? false}
                {...drawn(value)}
                onClick={() => onChoose?.(facet.field, value.value)}
              >
                <Value value={value} format={format} />
              </button>
            ))}
          </section>
        ))}
    </div>
  )
}

/** The values that a strip has place for. */
const most = 4

/** The others have no name below the bar: they are one part of it. */
const partsOf = (values: readonly FacetValue[]): Part[] => {
  const others = values.slice(most).reduce((sum, { count }) => sum + count, 0)
  return [...values.slice(0, most), { label: 'Others', count: others, kind: 'rest' }]
}

/** Counts of the whole list by field, above its rows; a click filters. */
export const FacetStrip = ({ facets: fields, onChoose, format = String }: Props) => {
  const classes = facets()
  return (
    <div className={classes.root}>
      {fields.map((facet) => (
        <section key={facet.field} className={classes.facet} aria-label={facet.label}>
          <h2 className={classes.caption}>{facet.label}</h2>
          {facet.values.length > 0 ? <StackedBar parts={partsOf(facet.values)} label={facet.label} thick /> : 'None'}
          {facet.values.slice(0, most).map((value) => (
            <button
              key={value.value}
              type="button"
              className={classes.value}
              aria-pressed={value.chosen ?? false}
              {...drawn(value)}
              onClick={() => onChoose?.(facet.field, value.value)}
            >
              <Value value={value} format={format} nameClass={classes.name} />
            </button>
          ))}
        </section>
      ))}
    </div>
  )
}

/** The strip before its counts are loaded: real captions over boxes. */
export const FacetSkeletons = ({ labels }: { labels: readonly string[] }) => {
  const classes = facets()
  return (
    <div className={classes.root} aria-busy>
      {labels.map((label) => (
        <section key={label} className={classes.facet} aria-label={label}>
          <h2 className={classes.caption}>{label}</h2>
          <Skeleton height="bar" />
          {[0, 1, 2, 3].map((value) => (
            <span key={value} className={classes.value}>
              <Skeleton width="short" />
            </span>
          ))}
        </section>
      ))}
    </div>
  )
}
