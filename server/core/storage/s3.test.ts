import { writeFile } from 'node:fs/promises'
import { afterAll, describe, it } from 'vitest'
import { type Answer, recordAnswers } from '../../../tests/support/recorded-s3'
import { runOnBuckets } from '../../../tests/support/stores'
import { hasSwift, startSwift, variablesOf } from '../../../tests/support/swift'

// The suite of the directory, on buckets of a real S3 service.
if (hasSwift) {
  const swift = await startSwift()
  const answers: Answer[] = []
  const recording = process.env.TEASEL_RECORD_S3 === '1' ? await recordAnswers(swift.endpoint, answers) : undefined
  runOnBuckets(async (name) => {
    const variables = await swift.bucket(name)
    return recording ? variablesOf(recording.endpoint, name) : variables
  })
  afterAll(async () => {
    await recording?.close()
    if (recording) await writeFile(new URL('s3-answers.json', import.meta.url), `${JSON.stringify(answers, null, 1)}\n`)
    await swift.close()
  })
  describe('the storage', async () => {
    await import('./directory.test')
  })
} else it.skip('files of releases in a bucket (OpenStack Swift is not installed)')
