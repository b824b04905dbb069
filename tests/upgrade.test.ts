import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { root } from '../server/core/root'
import { type Answers, keepFacts, readAll } from './support/first-state/read-all'

const folder = join(root, 'tests/support/first-state')

/** The answers of the program of the first state (decision 30) over this backup of its demo, by the same `readAll`. */
const stored: Answers = JSON.parse(gunzipSync(readFileSync(join(folder, 'answers.json.gz'))).toString())
const recorded: Answers = Object.fromEntries(
  Object.entries(stored).map(([url, answer]) => [url, JSON.parse(JSON.stringify(answer, keepFacts(url)))]),
)

it('a backup of the first state with a fleet, releases and rollouts is upgraded and gives the same answers', async () => {
  const [, ...lines] = readFileSync(join(folder, 'backup/manifest.json'), 'utf8').split('\n')
  const { taken_at: takenAt }: { taken_at: string } = JSON.parse(lines.join('\n'))
  const answers = await readAll(join(folder, 'backup'), new Date(takenAt))
  expect(Object.keys(answers)).toEqual(Object.keys(recorded))
  expect(Object.values(recorded).filter(({ status }) => status === 200).length).toBeGreaterThan(100)
  // Answers may have further fields.
  expect(answers).toMatchObject(recorded)
})
