import type { Model } from '../../../machines/model'
import { drive, type Path, paths, type Possible } from '../../model/walk'

export type TestPath = Path & { arrows: ReadonlySet<string> }

const gain = ({ arrows }: TestPath, known: ReadonlySet<string>) => [...arrows].filter((arrow) => !known.has(arrow)).length

/** Of all generated paths the few that take every transition together: always the one that adds most, of two the shorter. */
export const cover = async (model: Model, possible?: Possible): Promise<TestPath[]> => {
  const all = await Promise.all(
    paths(model, possible).map(async (path) => ({ ...path, arrows: await drive(model, path, () => {}) })),
  )
  const chosen: TestPath[] = []
  const known = new Set<string>()
  for (;;) {
    const [best] = all.toSorted((a, b) => gain(b, known) - gain(a, known) || a.moves.length - b.moves.length)
    if (!best || gain(best, known) === 0) return chosen
    for (const arrow of best.arrows) known.add(arrow)
    chosen.push(best)
  }
}
