import type { ReactNode } from 'react'
import { factStrip } from 'styled-system/recipes'

export type Fact = { label: ReactNode; value: ReactNode; key?: string }

const keyOf = (fact: Fact, index: number) => fact.key ?? (typeof fact.label === 'string' ? fact.label : index)

/** Facts with captions, separated by lines; two columns under 768 px. More than six are lines of four under 1280 px. `plain` next to a panel's own lines. */
export const FactStrip = ({ facts, plain }: { facts: Fact[]; plain?: boolean }) => {
  const classes = factStrip()
  return (
    <dl className={classes.root} data-plain={plain || undefined} data-many={facts.length > 6 || undefined}>
      {facts.map((fact, index) => (
        <div key={keyOf(fact, index)} className={classes.fact}>
          <dt className={classes.caption}>{fact.label}</dt>
          <dd className={classes.value}>{fact.value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Counts without boxes: caption, figure, a note under it. */
export const Figures = ({ facts }: { facts: (Fact & { note?: ReactNode })[] }) => {
  const classes = factStrip()
  return (
    <dl className={classes.root} data-plain>
      {facts.map((fact, index) => (
        <div key={keyOf(fact, index)} className={classes.fact}>
          <dt className={classes.caption}>{fact.label}</dt>
          <dd className={classes.figure}>{fact.value}</dd>
          {fact.note !== undefined && <dd className={classes.note}>{fact.note}</dd>}
        </div>
      ))}
    </dl>
  )
}

/** The same facts as a list: label left, value right; `wide` for labels that are sentences. */
export const Pairs = ({ facts, wide }: { facts: Fact[]; wide?: boolean }) => {
  const classes = factStrip()
  return (
    <dl className={classes.pairs} data-wide={wide || undefined}>
      {facts.map((fact, index) => (
        <div key={keyOf(fact, index)} className={classes.pair}>
          <dt className={classes.key}>{fact.label}</dt>
          <dd>{fact.value}</dd>
        </div>
      ))}
    </dl>
  )
}
