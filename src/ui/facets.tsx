import type { ReactNode } from 'react'
import { facets } from 'styled-system/recipes'
import { StackedBar } from './progress'
import type { Part } from './progress'
import { Shape } from './shape'
import type { ShapeName } from './shape'

export type FacetValue = Part & { value: string; shape?: ShapeName; mono?: boolean; chosen?: boolean }
export type Facet = { field: string; label: string; values: readonly FacetValue[] }

type Props = {
  facets: readonly Facet[]
  onChoose?: (field: string, value: string) => void
  format?: (count: number) => ReactNode
}

/** How the whole list is made up, before its rows; a click filters. */
export const FacetStrip = ({ facets: fields, onChoose, format = String }: Props) => {
  const classes = facets()
  return (
    <div className={classes.root}>
      {fields.map((facet) => (
        <section key={facet.field} className={classes.facet} aria-label={facet.label}>
          <h2 className={classes.caption}>{facet.label}</h2>
          <StackedBar parts={[...facet.values]} label={facet.label} thick />
          <ul className={classes.values}>
            {facet.values.slice(0, 4).map((value) => (
              <li key={value.value}>
                <button
                  type="button"
                  className={classes.value}
                  aria-pressed={value.chosen ?? false}
                  onClick={() => onChoose?.(facet.field, value.value)}
                >
                  {value.shape ? (
                    <Shape name={value.shape} size={10} />
                  ) : (
                    <span className={classes.swatch} data-tag={value.tag} data-step={value.step} />
                  )}
                  <span className={classes.name}>{value.mono ? <code>{value.label}</code> : value.label}</span>
                  <span className={classes.count}>{format(value.count)}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
