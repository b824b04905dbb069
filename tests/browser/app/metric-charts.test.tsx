import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { projectMetricNames } from '../../../contract/overview/monitor'
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

const stepMs = 900_000
const steps = 96
const to = Math.ceil(Date.now() / stepMs) * stepMs
const from = to - steps * stepMs

it.each([
  { of: 'now', known: steps - 1, zoom: undefined, time: null },
  { of: 'a fleet that reports no more', known: steps / 2, zoom: undefined, time: /^1[12] h ago$/ },
  { of: 'a range in the past', known: steps, zoom: { from, to }, time: / ago$/ },
])('the value of $of is shown with its time, unless it is that of now', async ({ known, zoom, time }) => {
  const points = Array.from({ length: steps }, (_, n) => [from + n * stepMs, n < known ? 40 : null])
  const series = ['p50', 'p95'].map((agg) => ({ name: 'memory.used_percent', unit: '%', agg, labels: {}, points }))
  const api = (async (endpoint: unknown) =>
    endpoint === projectMetricNames ? { metric_names: [] } : { from, to, step_s: 900, series }) as unknown as Api // Implements only the metrics of a project.
  mount({ ...makeSystem(), api }, <MetricCharts {...shown} zoom={zoom} />)
  const head = page.getByRole('figure', { name: 'Memory used' })
  await expect.element(head.getByText('40 % p50')).toBeVisible()
  const shownTime = head.element().querySelector('figcaption time')?.textContent ?? null
  if (time === null) expect(shownTime).toBeNull()
  else expect(shownTime).toMatch(time)
})
