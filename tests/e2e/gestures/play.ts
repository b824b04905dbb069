import type { AnyMachineSnapshot } from 'xstate'
import { pathOf } from '../../../machines/rows'
import { statusOf } from '../../../machines/port'
import { begin, type Effect, type Move, step } from '../../model/moves'
import { delayOf, type Path } from '../../model/walk'
import { moveTime } from './clock'
import type { AnyGestures } from './gestures'
import type { TestPage } from './test-page'

type Gesture<Given> = (world: TestPage, given: Given, at: AnyMachineSnapshot) => Promise<unknown>

const named = <T>(words: Record<string, T>, name: string): T => {
  const word = words[name]
  if (word === undefined) throw new Error(`The dictionary has no word for ${name}`)
  return word
}

const perform = async ({ model, events, answers }: AnyGestures, world: TestPage, at: AnyMachineSnapshot, move: Move) => {
  if (move.type.startsWith('xstate.after.')) return moveTime(world.page, delayOf(model.machine, at, move.type))
  if (move.actorId === undefined) return named<Gesture<Move>>(events, move.type)(world, move, at)
  const { done, error } = named<{ done: Gesture<unknown>; error: Gesture<number> }>(answers, move.actorId)
  return 'error' in move ? error(world, statusOf(move.error), at) : done(world, move.output, at)
}

// A region without child states is always active: it is left out.
const leavesOf = (snapshot: AnyMachineSnapshot) =>
  snapshot._nodes.filter(({ states, parent }) => Object.keys(states).length === 0 && parent?.type !== 'parallel').map(pathOf)

const see = ({ states }: AnyGestures, world: TestPage, at: AnyMachineSnapshot, effects: readonly Effect[]) => {
  const did = (type: string) => effects.filter((effect) => effect.type === type).length
  return Promise.all(
    leavesOf(at).map((leaf) =>
      named(states, leaf)(world, at, did).catch((cause: unknown) => {
        throw new Error(`The page is not in the state ${leaf}`, { cause })
      }),
    ),
  )
}

/** Plays one path: after each move the page must show the state that the pure chart predicts. */
export const play = async (dictionary: AnyGestures, path: Path, world: TestPage): Promise<void> => {
  const { machine, starts } = dictionary.model
  const first = begin(machine, starts[path.start])
  let at = first.after
  const effects = [...first.effects]
  await see(dictionary, world, at, effects)
  for (const move of path.moves) {
    await perform(dictionary, world, at, move)
    const next = step(machine, at, move)
    at = next.after
    effects.push(...next.effects)
    await see(dictionary, world, at, effects)
  }
}
