import { afterAll, describe, it } from 'vitest'
import { isFull } from '../../../tests/support/counts'
import { runOnBuckets } from '../../../tests/support/stores'
import { hasSwift, startSwift } from '../../../tests/support/swift'

// The cases of the directory, on buckets of a real S3 service. Each upload takes more than ten requests to the bucket: `npm test`
// runs the cases in which a bucket differs from a directory, `npm run test:full` all of them.
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
