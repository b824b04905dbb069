import { afterAll, describe, it } from 'vitest'
import { runOnBuckets } from '../../../tests/support/stores'
import { hasSwift, startSwift } from '../../../tests/support/swift'

// The suites of the directory, on buckets of a real S3 service.
if (hasSwift) {
  const swift = await startSwift()
  runOnBuckets(swift.bucket)
  afterAll(() => swift.close())
  describe('the storage', async () => {
    await import('./directory.test')
  })
} else it.skip('files of releases in a bucket (OpenStack Swift is not installed)')
