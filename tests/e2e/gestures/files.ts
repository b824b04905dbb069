import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { sendUpload } from '../../../contract/updates/uploads'
import { type Call, callOf } from './request-script'

/** A PATCH with bytes; the one that sends the hash of the whole has none. */
export const bytesCall: Call = {
  name: 'PATCH /uploads',
  is: (request) => callOf(sendUpload).is(request) && request.resourceType() === 'xhr',
}

const install = () => {
  const readings: ((spoilt: boolean) => void)[] = []
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const read = Blob.prototype.arrayBuffer
  Object.assign(window, { readings })
  Blob.prototype.arrayBuffer = function () {
    return new Promise<boolean>((resolve) => readings.push(resolve)).then(async (spoilt) => {
      const bytes = await read.call(this)
      if (spoilt) new Uint8Array(bytes)[0] = 1
      return bytes
    })
  }
}

/** Simulates a slow disk: reads of a file are held until released. */
export const slowDisk = (context: BrowserContext) => context.addInitScript(install)

/** Resolves once so many reads wait. */
export const reading = (page: Page, count: number) =>
  page.waitForFunction((wanted) => Reflect.get(window, 'readings').length === wanted, count)

/** Releases the oldest read, with another first byte if `spoilt`. */
export const letRead = (page: Page, spoilt = false) =>
  page.evaluate((isSpoilt) => Reflect.get(window, 'readings').shift()?.(isSpoilt), spoilt)

/** A sparse file of this size: it takes no space on the disk. */
export const sparseFile = async (name: string, size: number): Promise<string> => {
  const path = join(await mkdtemp(join(tmpdir(), 'teasel-file-')), name)
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'w')
  await file.truncate(size)
  await file.close()
  return path
}
export const removeFile = (path: string) => rm(dirname(path), { recursive: true, force: true })
