import { writeFile } from 'node:fs/promises'
import { afterAll, describe, it } from 'vitest'
import { isFull } from '../../../tests/support/counts'
import { type Answer, recordAnswers } from '../../../tests/support/recorded-s3'
import { runOnBuckets } from '../../../tests/support/stores'
import { hasSwift, startSwift, variablesOf } from '../../../tests/support/swift'

const isRecording = process.env.TEASEL_RECORD_S3 === '1'

// The suite of the directory, on buckets of a real S3 service. `npm test` runs it on recorded answers only (s3-recorded.test.ts).
if (!hasSwift) it.skip('files of releases in a bucket (OpenStack Swift is not installed)')
else if (!isFull && !isRecording) it.skip('files of releases in a bucket of a real service (npm run test:full)')
else {
  const swift = await startSwift()
  const answers: Answer[] = []
  const recording = isRecording ? await recordAnswers(swift.endpoint, answers) : undefined
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
}
