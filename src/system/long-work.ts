import { useActorRef, useSelector } from '@xstate/react'
import { useEffect, useInsertionEffect, useState } from 'react'
import { fromPromise } from 'xstate'
import { longWorkMachine } from '../../machines/long-work/long-work.machine'
import { actorOptions } from './inspection'

type Work<Progress, Input> = { input: Input; signal: AbortSignal; onProgress: (progress: Progress) => void }
type Options<Progress, Result, Input> = {
  run: (work: Work<Progress, Input>) => Promise<Result>
  onDone?: () => void
  onFailed?: (error: unknown) => void
}
/** What the work has told so far; kept outside its chart, which has where it stands. */
type Told<Progress, Result> = { progress?: Progress; result?: Result; error?: unknown }
type Held<Progress, Result, Input> = {
  options?: Options<Progress, Result, Input>
  input?: Input
  told: Told<Progress, Result>
  tell: (told: Told<Progress, Result>) => void
  progressed: () => void
}

const connect = <Progress, Result, Input>() => {
  const held: Held<Progress, Result, Input> = { told: {}, tell: () => {}, progressed: () => {} }
  const machine = longWorkMachine.provide({
    actors: {
      work: fromPromise<void, void>(async ({ signal }) => {
        if (!held.options) throw new Error('The work has not been drawn yet')
        // Nothing is told of work that was cancelled or given up.
        const tell = (told: Told<Progress, Result>) => signal.aborted || held.tell({ ...held.told, ...told })
        held.tell({})
        try {
          const onProgress = (progress: Progress) => {
            tell({ progress })
            if (!signal.aborted) held.progressed()
          }
          // `start` was called before.
          const input = held.input as Input
          tell({ result: await held.options.run({ input, signal, onProgress }) })
        } catch (error) {
          tell({ error })
          throw error
        }
      }),
    },
  })
  return { held, machine }
}

/**
 * Long work that a person can cancel, by its chart. It is begun by `start`; a minute without progress, and leaving the page, end it.
 * `error` is the work's own, and absent if it was silent.
 */
export const useLongWork = <Progress, Result = void, Input = void>(options: Options<Progress, Result, Input>) => {
  const [{ held, machine }] = useState(connect<Progress, Result, Input>)
  const [told, setTold] = useState<Told<Progress, Result>>({})
  const actor = useActorRef(machine, actorOptions)
  const stage = useSelector(actor, (snapshot) => {
    if (snapshot.hasTag('busy')) return 'busy'
    if (snapshot.hasTag('done')) return 'done'
    if (snapshot.hasTag('failed')) return 'failed'
    return snapshot.hasTag('cancelled') ? 'cancelled' : 'idle'
  })
  useInsertionEffect(() => {
    Object.assign(held, { options })
  })
  useEffect(() => {
    const tell = (now: Told<Progress, Result>) => {
      Object.assign(held, { told: now })
      setTold(now)
    }
    Object.assign(held, { tell, progressed: () => actor.send({ type: 'work.progressed' }) })
    const ends = [
      actor.on('work.done', () => held.options?.onDone?.()),
      actor.on('work.failed', () => held.options?.onFailed?.(held.told.error)),
    ]
    return () => ends.forEach((end) => end.unsubscribe())
  }, [actor, held])
  const [{ start, cancel }] = useState(() => ({
    start: (input: Input) => {
      Object.assign(held, { input })
      actor.send({ type: 'work.started' })
    },
    cancel: () => actor.send({ type: 'work.cancelled' }),
  }))
  return { ...told, stage, start, cancel }
}
