import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { logs } from '../../../contract/device/endpoints'
import { measured } from '../server'

const linesAtOnce = 50
const everyMs = 2000

/** Sends 25 lines a second as a device. */
const createSender = (api: string, deviceToken: string) => {
  let sequence = 0
  const line = () => {
    sequence += 1
    return JSON.stringify({
      sequence,
      ts_ms: Date.now(),
      level: 'info',
      unit: 'mosquitto',
      message: `Client station-${sequence % 97} connected from 10.20.${sequence % 256}.7:40123 (p2, c1, k60).`,
      boot_id: '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11',
    })
  }
  return async () => {
    const answer = await fetch(`${api}${logs.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deviceToken}`, 'content-type': 'application/x-ndjson' },
      body: Array.from({ length: linesAtOnce }, line).join('\n'),
    })
    if (!answer.ok) throw new Error(`the lines were answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}

type Tail = { page: Page; address: string; api: string; deviceToken: string; minutes: number }

/** The heap of the page of a log after each minute that it is followed, each after a garbage collection; and its elements. */
export const measureLiveTail = async ({ page, address, api, deviceToken, minutes }: Tail): Promise<void> => {
  const send = createSender(api, deviceToken)
  await send()
  await page.goto(address)
  await page.getByText('Following').waitFor()
  const devtools = await page.context().newCDPSession(page)
  const begin = Date.now()
  for (let minute = 0; minute <= minutes; minute++) {
    while (Date.now() < begin + minute * 60_000) {
      await send()
      await pause(everyMs)
    }
    await devtools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await devtools.send('Runtime.getHeapUsage')
    measured(`live tail: heap after ${minute} min`, usedSize / 1024 ** 2, 'MiB')
  }
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  measured('live tail: elements on the page', elements, '')
}
