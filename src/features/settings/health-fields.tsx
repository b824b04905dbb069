import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { metricRange, standardThresholds } from '../../../contract/fleet/health'
import type { Threshold, Thresholds } from '../../../contract/fleet/thresholds'
import { formatDuration } from '../../lib/durations'
import { fleetMetrics } from '../../../contract/fleet/fleet-metrics'
import { lazyPart } from '../../system/page/lazy'
import { Switch } from '../../ui/form/choice'
import { ReadOnlyField } from '../../ui/form/field'
import { LevelsField } from '../../ui/form/levels-field'
import { Shape } from '../../ui/layout/shape'
import { Skeleton } from '../../ui/layout/skeleton'

type Field = (name: string) => { name: string; error: string | undefined }
type Metric = { name: string; title: string; unit: string }

const prefix = 'settings.health_thresholds.'
const standard: Thresholds = standardThresholds
const usual: Threshold = { warning: 80, critical: 90, clear_after_s: 300 }
const ClearAfter = lazyPart(() => import('./clear-after').then((part) => part.ClearAfter))

const metric = css({ display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)', py: '16', borderTop: 'line' })
const word = css({ display: 'inline-flex', alignItems: 'center', gap: '6', verticalAlign: 'top' })
const quiet = css({ textStyle: 'small', color: 'muted' })

/** Placeholder until the list loads; its hidden input has the value. */
const Waiting = ({ name, value }: { name: string; value: number }) => (
  <>
    <ReadOnlyField label="Clear after">
      <Skeleton height="control" />
    </ReadOnlyField>
    <input type="hidden" name={name} value={value} />
  </>
)

const meaning = ({ warning, critical, clear_after_s: wait }: Threshold, unit: string) => {
  const of = (level: number) => `${level} ${unit}`.trim()
  const back = wait === 0 ? 'as soon as the value is below' : `once the value was below for ${formatDuration(wait)}`
  return `Warning from ${of(warning)}, critical from ${of(critical)}, cleared ${back}.`
}

const Levels = ({ name, title, unit, start, field }: Metric & { start: Threshold; field: Field }) => {
  const [shown, setShown] = useState(start)
  const clear = field(`${prefix}${name}.clear_after_s`)
  return (
    <>
      <LevelsField
        unit={unit}
        range={metricRange(name)}
        onLevels={(warning, critical) => setShown((kept) => ({ ...kept, warning, critical }))}
        lower={{
          ...field(`${prefix}${name}.warning`),
          label: (
            <span className={word}>
              <Shape name="warning" /> Warning from
            </span>
          ),
          handle: `${title}: warning from`,
          kind: 'warning',
          defaultValue: start.warning,
        }}
        upper={{
          ...field(`${prefix}${name}.critical`),
          label: (
            <span className={word}>
              <Shape name="error" /> Critical from
            </span>
          ),
          handle: `${title}: critical from`,
          kind: 'error',
          defaultValue: start.critical,
        }}
      >
        <Suspense fallback={<Waiting name={clear.name} value={start.clear_after_s} />}>
          <ClearAfter
            {...clear}
            start={start.clear_after_s}
            onWait={(wait) => setShown((kept) => ({ ...kept, clear_after_s: wait }))}
          />
        </Suspense>
      </LevelsField>
      {shown.warning < shown.critical && <p className={quiet}>{meaning(shown, unit)}</p>}
    </>
  )
}

const Judged = ({ threshold, field, ...of }: Metric & { threshold: Threshold | undefined; field: Field }) => {
  const [on, setOn] = useState(threshold !== undefined)
  return (
    <div className={metric} role="group" aria-label={of.title}>
      <Switch
        name={`${prefix}${of.name}`}
        checked={on}
        onChange={(event) => setOn(event.target.checked)}
        {...(!on && { hint: 'Not used for device health.' })}
      >
        {of.title}
      </Switch>
      {on && <Levels {...of} field={field} start={threshold ?? standard[of.name] ?? usual} />}
    </div>
  )
}

/** The health thresholds: two levels per metric, and the delay before a level clears. */
export const HealthFields = ({ thresholds, field }: { thresholds: Thresholds; field: Field }) => {
  const own = Object.keys(thresholds).filter((name) => !fleetMetrics.some((known) => known.name === name))
  const metrics: Metric[] = [...fleetMetrics, ...own.map((name) => ({ name, title: name, unit: '' }))]
  return (
    <div>
      {metrics.map((one) => (
        <Judged key={one.name} {...one} threshold={thresholds[one.name]} field={field} />
      ))}
    </div>
  )
}

const last = '.warning'
/** The values of the controls; a metric that is switched off has none. */
export const readThresholds = (data: FormData, number: (value: FormDataEntryValue | null) => unknown) =>
  Object.fromEntries(
    [...data.keys()]
      .filter((key) => key.startsWith(prefix) && key.endsWith(last))
      .map((key) => {
        const at = key.slice(0, -last.length)
        const value = (name: string) => number(data.get(`${at}.${name}`))
        return [
          at.slice(prefix.length),
          { warning: value('warning'), critical: value('critical'), clear_after_s: value('clear_after_s') },
        ]
      }),
  )
