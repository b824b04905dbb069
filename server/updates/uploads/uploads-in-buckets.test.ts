import { afterAll, describe, it } from 'vitest'
import { isFull } from '../../../tests/support/counts'
import { runOnBuckets } from '../../../tests/support/stores'
import { hasSwift, startSwift } from '../../../tests/support/swift'

// Every case of the directory, on buckets of a real S3 service. Most of `uploads.test` refuses before the storage is asked, and
// each of its uploads takes more than ten requests to the bucket: only `npm run test:full` runs it here.
if (hasSwift) {
  const swift = await startSwift()
  runOnBuckets(swift.bucket)
  afterAll(() => swift.close())
  if (isFull)
    describe('uploads', async () => {
      await import('./uploads.test')
    })
  describe('a client of the protocol', async () => {
    await import('./tus-client.test')
  })
  describe('connections that are cut', async () => {
    await import('./cuts.test')
  })
  describe('copies of stored files', async () => {
    await import('../../backup/copy-files.test')
  })
  describe('the sweep', async () => {
    await import('./sweep.test')
  })
} else it.skip('uploads into a bucket (OpenStack Swift is not installed)')
