import { css } from 'styled-system/css'
import { facets } from 'styled-system/recipes'
import type { Overview } from '../../../contract/overview/monitor'
import { percent } from '../../lib/amounts'
import { Skeleton } from '../../ui/layout/skeleton'
import { StackedBar } from '../../ui/chart/stacked-bar'

const row = css({
  display: 'grid',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', md: 'auto minmax(0, 1fr) auto' },
  alignItems: 'center',
  columnGap: '12',
  rowGap: '6',
})
const caption = css({ textStyle: 'caption', color: 'muted' })
const legend = css({ display: 'flex', flexWrap: 'wrap', columnGap: '12' })
const entry = css({ display: 'inline-flex', alignItems: 'center', gap: '4', textStyle: 'small', color: 'muted' })
const name = css({ textStyle: 'mono', color: 'text' })

/** Of devices that have installed no release yet. */
const unknown = 'No version'

const stepOf = (index: number) => Math.min(index, 3) as 0 | 1 | 2 | 3 // the scale has four steps, newest darkest

export const FleetVersions = ({ versions }: { versions: Overview['versions'] | undefined }) => {
  if (!versions)
    return (
      <div className={row} aria-busy>
        <span className={caption}>Versions</span>
        <Skeleton height="bar" />
        <Skeleton width="short" />
      </div>
    )
  const total = versions.reduce((sum, one) => sum + one.count, 0)
  const labelled = versions.map((one) => ({ ...one, label: one.display_version ?? one.version?.toString() ?? unknown }))
  return (
    <div className={row}>
      <span className={caption}>Versions</span>
      <StackedBar
        thick
        label="Versions"
        parts={labelled.map(({ label, count }, index) => ({ label, count, step: stepOf(index) }))}
      />
      <span className={legend}>
        {labelled.slice(0, 4).map(({ label, count }, index) => (
          <span key={label} className={entry}>
            <span className={facets().swatch} data-step={stepOf(index)} />
            <span className={label === unknown ? undefined : name}>{label}</span> {percent(count, total)} %
          </span>
        ))}
      </span>
    </div>
  )
}
