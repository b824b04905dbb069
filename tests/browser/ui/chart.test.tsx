import { createRoot } from 'react-dom/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { Chart } from '../../../src/ui/chart/chart'

vi.mock('../../../src/ui/chart/chart-plot', () => ({
  Plot: () => {
    throw new Error('Nothing can be drawn here')
  },
}))

it("§8: a chart that cannot be drawn says 'Could not load the chart' in its box, and the rest of the page works", async () => {
  const element = document.body.appendChild(document.createElement('div'))
  const root = createRoot(element, { onCaughtError: () => {} })
  onTestFinished(() => {
    root.unmount()
    element.remove()
  })
  root.render(
    <main>
      <h1>Monitor</h1>
      <Chart title="Memory used" times={[1, 2]} series={[{ label: 'p50', values: [1, 2] }]} />
    </main>,
  )
  await expect
    .element(page.getByRole('figure', { name: 'Memory used' }).getByText('Could not load the chart', { exact: true }))
    .toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'Monitor' })).toBeVisible()
})
