import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { Device } from '../../../../contract/fleet/devices'
import { formatMetric } from '../../../../contract/fleet/fleet-metrics'
import { deviceMetricNamesQuery } from '../../../api/queries/fleet/monitor'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { every, paces } from '../../../api/refresh'
import { healthDisplay } from '../../../lib/status-display'
import { FailureBox } from '../../../system/failure/failure-box'
import { useSystem } from '../../../system/system'
import { Status } from '../../../ui/text/chip'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import * as Table from '../../../ui/list/table'
import { RelativeTime } from '../../../ui/text/time'
import { formatUnit, formatValue } from '../../../lib/metric-text'
import { findMetricLevel } from '../metrics/metric-level'

const padded = css({ px: '16', py: '12', color: 'muted' })

/**
 * Each threshold of the project with the device's newest value; the level of a metric outlasts the value that caused it, and is not
 * known any more a day after it.
 */
export const HealthPanel = ({ device }: { device: Device }) => {
  const { api } = useSystem()
  const { data: project } = useSuspenseQuery(projectQuery(api, device.project_id))
  const { data, error, refetch } = useQuery({
    ...deviceMetricNamesQuery(api, device.id),
    refetchInterval: every(paces.fleet),
  })
  const { shape, word } = healthDisplay(device.health.status)
  const thresholds = Object.entries(project.settings.health_thresholds).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return (
    <Panel flush title="Health" aside={<Status shape={shape}>{word}</Status>}>
      {device.health.status === 'unknown' && (
        <p className={padded}>
          {device.connectivity === 'offline' || device.connectivity === 'never_seen'
            ? 'The device does not check in, so its health is not known. The values below are the last ones.'
            : 'The device has not reported a metric that has a threshold for a day.'}
        </p>
      )}
      {error && !data ? (
        <FailureBox error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <PanelSkeletons rows={2} />
      ) : thresholds.length === 0 ? (
        <p className={padded}>The project has no thresholds. They are set in its settings.</p>
      ) : (
        <Table.Root caption="Health" dense auto scroll stack>
          <Table.Head>
            <Table.Th>Metric</Table.Th>
            <Table.Th align="end">Value</Table.Th>
            <Table.Th>Level</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th align="end">Warning from</Table.Th>
            <Table.Th align="end">Critical from</Table.Th>
          </Table.Head>
          <Table.Body>
            {thresholds.map(([name, threshold]) => {
              const metric = data.find((one) => one.name === name)
              const reason = device.health.reasons.find((one) => one.metric === name)
              const level = findMetricLevel(device.health, name, threshold, data)
              const display = healthDisplay(level)
              const since = level === 'unknown' ? metric?.at : reason?.since
              const unit = formatUnit(name, metric?.unit ?? null)
              return (
                <Table.Row key={name}>
                  <Table.Cell at="lead">{formatMetric(name)}</Table.Cell>
                  <Table.Cell align="end" at="end">
                    {metric ? formatValue(metric.value, unit) : '–'}
                  </Table.Cell>
                  <Table.Cell at="sub">
                    <Status shape={display.shape}>{display.word}</Status>
                  </Table.Cell>
                  <Table.Cell quiet at="subEnd">
                    {since === undefined ? '–' : <RelativeTime value={since} />}
                  </Table.Cell>
                  <Table.Cell align="end">{formatValue(threshold.warning, unit)}</Table.Cell>
                  <Table.Cell align="end">{formatValue(threshold.critical, unit)}</Table.Cell>
                </Table.Row>
              )
            })}
          </Table.Body>
        </Table.Root>
      )}
    </Panel>
  )
}
