import fc from 'fast-check'
import { type AnyActorRef, createActor, fromCallback, fromPromise, initialTransition, SimulatedClock } from 'xstate'
import { describe, expect, test } from 'vitest'
import type { Model } from '../../machines/model'
import { charts } from './charts'
import { eventsOf, keyOf, type Move, step } from './moves'
import '../support/fixed-seed'
import { within } from '../support/machine-load'

/** An invocation of a running chart; `self` shows whether the answer is still awaited. */
type Question = { port: string; self: AnyActorRef; resolve: (output: unknown) => void; reject: (error: unknown) => void }

const settled = () => new Promise((resolve) => setImmediate(resolve))

const live = (model: Model, start: unknown) => {
  const asked: Question[] = []
  const names = Object.keys(model.machine.implementations.actors)
  const machine = model.machine.provide({
    actors: Object.fromEntries(
      names.map((port) => [
        port,
        port in model.answers
          ? fromPromise(({ self }) => new Promise((resolve, reject) => asked.push({ port, self, resolve, reject })))
          : fromCallback(() => {}),
      ]),
    ),
  })
  return { actor: createActor(machine, { clock: new SimulatedClock(), input: start }).start(), asked }
}

/** Events and answers in any order, including late answers to invocations that have ended. */
const interleave = async (model: Model, start: unknown, choices: readonly number[]) => {
  const { actor, asked } = live(model, start)
  let [foretold] = initialTransition(model.machine, start)
  for (const choice of choices) {
    const events = eventsOf(model)
    const at = choice % (events.length + asked.length)
    const question = asked[at - events.length]
    if (question) {
      asked.splice(asked.indexOf(question), 1)
      const id = question.self.id
      const isAwaited = actor.getSnapshot().children[id] === question.self
      const { done, error } = model.answers[question.port]!
      const all: Move[] = [
        ...done.map((output) => ({ type: `xstate.done.actor.${id}`, actorId: id, output })),
        ...error.map((reason) => ({ type: `xstate.error.actor.${id}`, actorId: id, error: reason })),
      ]
      const answer = all[choice % all.length]!
      if ('error' in answer) question.reject(answer.error)
      else question.resolve(answer.output)
      if (isAwaited) foretold = step(model.machine, foretold, answer).after
    } else {
      const event = events[at]!
      actor.send(event)
      foretold = step(model.machine, foretold, event).after
    }
    await settled()
    expect(keyOf(actor.getSnapshot())).toBe(keyOf(foretold))
  }
  actor.stop()
}

const asking = charts.filter(({ model }) => Object.keys(model.answers).length > 0)
const runs = 150 * Number(process.env.TEASEL_MODEL_RUNS ?? 1)

describe.each(asking)('$name', ({ model }) => {
  test(
    `answers in any order, and late ones, change it only while it waits for them (${runs} runs)`,
    { timeout: within(300_000) },
    async () => {
      const starts = Object.values(model.starts)
      await fc.assert(
        fc.asyncProperty(fc.nat(7), fc.array(fc.nat(9999), { minLength: 1, maxLength: 30 }), (start, choices) =>
          interleave(model, starts[start % starts.length], choices),
        ),
        { numRuns: runs },
      )
    },
  )
})
