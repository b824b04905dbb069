import { readFile } from 'node:fs/promises'
import { afterAll, describe } from 'vitest'
import { type Answer, replayAnswers } from '../../../tests/support/recorded-s3'
import { runOnBuckets } from '../../../tests/support/stores'
import { variablesOf } from '../../../tests/support/swift'

// The suite of the directory against recorded answers of a real service, for machines without it. `TEASEL_RECORD_S3=1` records
// them anew while s3.test.ts runs.
const answers = JSON.parse(await readFile(new URL('s3-answers.json', import.meta.url), 'utf8')) as Answer[]
const service = await replayAnswers(answers)
runOnBuckets(async (name) => variablesOf(service.endpoint, name))
afterAll(() => service.close())
describe('the storage', async () => {
  await import('./directory.test')
})
