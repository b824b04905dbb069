import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { projectMetricNames } from '../../../contract/monitor'
import type { Api } from '../../../src/api/client'
import { MetricCharts } from '../../../src/features/monitor/metric-charts'
import { makeSystem, mount } from './system'

const shown = {
  projectId: 'p1',
  range: '24h' as const,
  releases: [],
  thresholds: {},
  metrics: ['memory.used_percent'],
  group: 'none' as const,
  zoom: undefined,
  onZoom: () => {},
}

it("§8: charts whose data cannot be loaded say 'Could not load the chart' in their boxes, until it is loaded again", async () => {
  const answers: unknown[] = [new Error('no answer'), { from: 0, to: 1, series: [] }]
  const api = (async (endpoint: unknown) => {
    if (endpoint === projectMetricNames) return { metric_names: [] }
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  }) as unknown as Api // Implements only the metrics of a project.
  mount({ ...makeSystem(), api }, <MetricCharts {...shown} />)
  const box = page.getByRole('figure', { name: 'Memory used' })
  await expect.element(box.getByText('Could not load the chart', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.element(box.getByText('No measurements yet')).toBeVisible()
  await expect.element(page.getByText('Could not load the chart')).not.toBeInTheDocument()
})
