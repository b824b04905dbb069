import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Browser, openBrowser, openContext, type Page } from './browser'
import { type Product, startProduct } from './product'

export type Trial = {
  product: Product
  page: Page
  /** A directory for keys, files and devices. */
  bench: string
  /** Errors that a page must never report. */
  complaints: string[]
  /** Runs before the product is stopped, the latest first. */
  onEnd: (close: () => unknown) => void
}

/** `npm start` without a demo, a new browser and a directory for the single journey of a file. */
export const useTrial = (): (() => Trial) => {
  const closing: (() => unknown)[] = []
  let browser: Browser | undefined
  let trial: Trial | undefined
  beforeAll(async () => {
    const bench = await mkdtemp(join(tmpdir(), 'teasel-bench-'))
    closing.push(() => rm(bench, { recursive: true, force: true }))
    const product = await startProduct()
    closing.push(() => product.stop())
    browser = await openBrowser()
    closing.push(() => browser?.close())
    const { context, complaints } = await openContext(browser, { acceptDownloads: true })
    const page = await context.newPage()
    trial = { product, page, bench, complaints, onEnd: (close) => void closing.push(close) }
  })
  afterAll(async () => {
    for (const close of closing.toReversed()) await close()
  })
  return () => {
    if (!trial) throw new Error('The product has not started')
    return trial
  }
}
