import { afterAll, beforeAll, expect, test } from 'vitest'
import { arrows } from '../../model/walk'
import { noteInPage } from '../../model/report'
import { useConsole } from '../support/console'
import { cover } from './cover'
import type { AnyGestures } from './gestures'
import { play } from './play'

/** The tests of one dictionary: enough of the chart's paths to take every transition, each with a new profile. */
export const playPaths = async (dictionary: AnyGestures) => {
  const { model, possible } = dictionary
  const console = useConsole()
  const ways = await cover(model, possible)
  const taken = new Set<string>()
  let cast: unknown
  beforeAll(async () => {
    cast = await dictionary.prepare(console.hosts())
  })

  test.each(ways.map((way) => [`${way.start}: ${way.title}`, way] as const))('%s', async (_, way) => {
    await play(dictionary, way, await dictionary.open(console, cast, way.start))
    for (const arrow of way.arrows) taken.add(arrow)
  })

  test('every transition was taken in the page', () => {
    expect(arrows(model).filter((arrow) => !taken.has(arrow))).toEqual([])
  })

  afterAll(() => noteInPage(model.machine.id, taken.size))
}
