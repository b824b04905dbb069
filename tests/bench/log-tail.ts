// The heap of the console while it follows a log: `npx tsx tests/bench/log-tail.ts [minutes]`, of the build. 25 lines a second arrive;
// after a garbage collection the heap at the end must be that of the first minute.
import { setTimeout as pause } from 'node:timers/promises'
import { logs } from '../../contract/device/endpoints'
import { createDevice } from '../../contract/devices'
import { createPersonalProject } from '../../contract/project-changes'
import { openBrowser, openContext } from '../e2e/support/browser'
import { call } from '../e2e/support/call'
import { storageKeys } from '../../src/lib/storage-keys'
import { withServer } from './server'

const minutes = Number(process.argv[2] ?? 10)
const linesAtOnce = 50
const everyMs = 2000

await withServer({}, async (hosts, as) => {
  const browser = await openBrowser()
  const { body: project } = await call(hosts.api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const body = { name: 'gw', hardware_model: 'gw' }
  const { body: device } = await call(hosts.api, createDevice, { projectId: project.id }, { as, body })
  let sequence = 0
  const send = async () => {
    const lines = Array.from({ length: linesAtOnce }, () => {
      sequence += 1
      const message = `Client station-${sequence % 97} connected from 10.20.${sequence % 256}.7:40123 (p2, c1, k60).`
      return {
        sequence,
        ts_ms: Date.now(),
        level: 'info',
        unit: 'mosquitto',
        message,
        boot_id: '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11',
      }
    })
    const answer = await fetch(`${hosts.api}${logs.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${device.device_token}`, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    await answer.text()
  }
  await send()
  const { context } = await openContext(browser)
  await context.addInitScript(([name, token]) => localStorage.setItem(name, token), [storageKeys.session, as] as const)
  const page = await context.newPage()
  await page.goto(`${hosts.console}/organizations/none/projects/${project.id}/devices/list/${device.id}/system-logs`)
  await page.getByText('Following').waitFor()
  const devtools = await context.newCDPSession(page)
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await devtools.send('Runtime.getHeapUsage')
    const elements = await page.evaluate(() => document.querySelectorAll('*').length)
    return `${(usedSize / 1024 ** 2).toFixed(1)} MiB, ${elements} elements, ${sequence} lines`
  }
  const begin = Date.now()
  for (let minute = 0; minute <= minutes; minute++) {
    while (Date.now() < begin + minute * 60_000) {
      await send()
      await pause(everyMs)
    }
    process.stdout.write(`${minute} min: ${await heap()}\n`)
  }
  await browser.close()
})
