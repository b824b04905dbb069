import { isDeepStrictEqual } from 'node:util'
import type { AnyMachineSnapshot } from 'xstate'
import type { Model } from '../../../machines/model'
import { begin, type Move, movesAt, type Step, step } from '../moves'
import { doings, leavesOf, type Story } from './behaviour'

const delayed = (model: Model, snapshot: AnyMachineSnapshot, move: Move): Move => {
  if (!move.type.startsWith('after ')) return move
  const type = `xstate.after.${move.type.slice('after '.length)}.`
  const found = movesAt(model, snapshot).find((other) => other.type.startsWith(type))
  if (!found) throw new Error(`No delay '${move.type.slice('after '.length)}' runs in ${leavesOf(snapshot).join(', ')}`)
  return found
}

const isAsked = (snapshot: AnyMachineSnapshot, move: Move) =>
  move.actorId === undefined || snapshot._nodes.some((node) => node.invoke.some(({ id }) => id === move.actorId))

export const play = (model: Model, story: Story): Step[] => {
  const start = story.start ?? Object.keys(model.starts)[0] ?? ''
  const steps = [begin(model.machine, model.starts[start])]
  for (const move of story.moves as readonly Move[]) {
    const before = steps.at(-1)!.after
    if (!isAsked(before, move)) throw new Error(`Nobody asks '${move.actorId}' in ${leavesOf(before).join(', ')}`)
    steps.push(step(model.machine, before, delayed(model, before, move)))
  }
  return steps
}

export type StoryResult = Pick<Story, 'ends' | 'does' | 'holds' | 'asks'>

/** The chart's result of a story, limited to the fields that the story has. */
export const playStory = (story: Story, steps: readonly Step[]): StoryResult => {
  const last = steps.at(-1)!.after
  const leaves = leavesOf(last)
  const asked = steps.flatMap(({ effects }) => effects.filter(({ type }) => type === 'asks')).at(-1)
  return {
    ends: typeof story.ends === 'string' ? leaves.join(', ') : story.ends.filter((leaf) => leaves.includes(leaf)),
    ...(story.does && { does: doings(steps) }),
    ...(story.holds && { holds: Object.fromEntries(Object.keys(story.holds).map((key) => [key, last.context[key]])) }),
    ...('asks' in story && { asks: asked?.input }),
  }
}

export const expected = ({ ends, does, holds, ...story }: Story): StoryResult => ({
  ends,
  ...(does && { does }),
  ...(holds && { holds }),
  ...('asks' in story && { asks: story.asks }),
})

export const isTrue = (model: Model, story: Story): boolean => {
  try {
    return isDeepStrictEqual(playStory(story, play(model, story)), expected(story))
  } catch {
    return false
  }
}
