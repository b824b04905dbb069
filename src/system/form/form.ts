import { useActorRef, useSelector } from '@xstate/react'
import { useEffect, useId, useInsertionEffect, useState } from 'react'
import type { Struct } from 'superstruct'
import { type ActorRefFrom, fromPromise, type SnapshotFrom } from 'xstate'
import { type Failure, leavesUnknown } from '../../../contract/core/errors'
import { checkFields, type FieldError } from '../../../contract/core/field-errors'
import { formMachine } from '../../../machines/form/form.machine'
import type { Stake, StakeHolder } from '../../lib/stake'
import { failureOf } from '../../api/failure'
import { isPlainRefusal, toChangeTitle } from '../failure/failure-text'
import { createKeys } from './idempotency'
import { actorOptions } from '../inspection'
import { useSystem } from '../system'

type Options<T, R> = {
  /** The contract's body: validated here on submit, and again by the server. */
  schema: Struct<T, any> // oxlint-disable-line typescript/no-explicit-any -- the inner schema is of no interest here
  /** Converts the controls' values to the body; by default every control by its name. */
  read?: (data: FormData) => unknown
  save: (value: T, extra: { idempotencyKey: string }) => Promise<R>
  /** Where to navigate afterwards. */
  onSaved: (result: R) => void
}

const plain = (data: FormData): unknown => Object.fromEntries(data)
const fingerprint = (data: FormData) =>
  JSON.stringify([...data].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]))

/** The chart gets the code of a failure; the message comes from the server's answer. */
const chartError = (error: unknown): unknown => {
  const failure = failureOf(error)
  return failure ? { ...failure, requestId: failure.requestId ?? null } : error
}

const stakeOf = ({ context }: SnapshotFrom<typeof formMachine>): Stake | undefined => {
  if (context.saving) return 'saving'
  if (context.unknown) return 'unknown'
  return context.dirty ? 'typed' : undefined
}
/** Why a form is not left without a question. */
export const holderOf = (actor: ActorRefFrom<typeof formMachine>): StakeHolder => ({
  stake: () => stakeOf(actor.getSnapshot()),
  watch: (changed) => {
    const watching = actor.subscribe(changed)
    return () => watching.unsubscribe()
  },
})

/** Data that one form passes between its chart's ports, outside the chart. */
type Run<T, R> = {
  options: Options<T, R> | undefined
  data: FormData
  /** The values of the controls that were changed after a submit, until it is answered. */
  later?: FormData | undefined
  value?: T
  result?: R
  /** Fingerprint of the initial values. */
  clean?: string
  failed: (failure: Failure | undefined) => void
}

const connect = <T, R>() => {
  const keys = createKeys()
  const run: Run<T, R> = { options: undefined, data: new FormData(), failed: () => {} }
  const options = () => {
    if (!run.options) throw new Error('The form has not been drawn yet')
    return run.options
  }
  const machine = formMachine.provide({
    actors: {
      validation: fromPromise<FieldError[], void>(async () => {
        const { read = plain, schema } = options()
        const [errors, value] = checkFields(read(run.data), schema)
        if (errors) return errors
        run.value = value
        return []
      }),
      save: fromPromise<void, void>(async ({ signal }) => {
        const value = run.value as T // `validation` ran before and found no problem
        run.failed(undefined)
        try {
          const result = await options().save(value, { idempotencyKey: keys.current() })
          // After the chart's own limit nobody sees the answer: the next try gets it again, by the same key.
          if (signal.aborted) return
          run.result = result
          keys.spend()
        } catch (error) {
          const failure = failureOf(error)
          run.failed(failure)
          keys.failed(error)
          throw chartError(error)
        }
      }),
    },
  })
  return { run, machine }
}

/**
 * The form chart, connected: the schema is its validation, `save` its port. Controls are uncontrolled, so typed text is never
 * lost; `field('name')` gives a control its name and its error. Render it with `BoundForm`.
 */
export const useForm = <T, R>(options: Options<T, R>) => {
  const { work } = useSystem()
  const id = useId()
  const [{ run, machine }] = useState(connect<T, R>)
  const actor = useActorRef(machine, actorOptions)
  const [attempt, setAttempt] = useState(0)
  const [refusal, setRefusal] = useState<Failure>()
  useInsertionEffect(() => {
    Object.assign(run, { options, failed: setRefusal })
  })
  useEffect(() => {
    const saved = actor.on('form.saved', () => {
      Object.assign(run, { clean: fingerprint(run.data) })
      const proceed = () => run.options?.onSaved(run.result as R) // `save` ran before
      // The chart ignores changes while it saves: what was typed then is not saved. It learns of them after this announcement.
      if (run.later) actor.send({ type: 'form.changed', dirty: fingerprint(run.later) !== run.clean })
      queueMicrotask(proceed)
    })
    const refused = actor.on('form.refused', () => setAttempt((count) => count + 1))
    return () => {
      saved.unsubscribe()
      refused.unsubscribe()
    }
  }, [actor, run])

  const dirty = useSelector(actor, (snapshot) => snapshot.context.dirty)
  const atStake = useSelector(actor, (snapshot) => stakeOf(snapshot) !== undefined)
  useEffect(() => {
    work.note(`form ${id}`, atStake)
    return () => work.note(`form ${id}`, false)
  }, [work, id, atStake])

  const problems = useSelector(actor, (snapshot) => snapshot.context.problems)
  const failure = useSelector(actor, (snapshot) => snapshot.context.failure)
  const submitting = useSelector(actor, (snapshot) => snapshot.hasTag('submitting'))
  const named = new Set<string>()
  return {
    actor,
    submitting,
    dirty,
    /** Increases with every refused attempt. */
    attempt,
    /** The props of the control `name`: its name and its error. Errors inside it (`waves.1.value`) count as its own. */
    field: (name: string) => {
      named.add(name)
      const error = problems.find(({ field }) => field === name || field.startsWith(`${name}.`))?.message
      return { name, error }
    },
    /** The error of a group of controls itself, not of one inside it. */
    groupError: (name: string) => {
      named.add(name)
      return problems.find(({ field }) => field === name)?.message
    },
    /** Errors of fields without a control here: shown above the footer, so that none is lost. */
    stray: () => problems.filter(({ field }) => ![...named].some((name) => field === name || field.startsWith(`${name}.`))),
    failure: failure && {
      title: toChangeTitle(failure),
      failure: refusal,
      requestId: failure.requestId,
      isUnknown: leavesUnknown(failure),
      isRefused: isPlainRefusal(failure),
    },
    submit: (data: FormData) => {
      Object.assign(run, { data, later: undefined })
      actor.send({ type: 'form.submitted' })
    },
    /** Stores the initial values; later ones are compared with them. */
    begin: (data: FormData) => {
      if (run.clean === undefined) Object.assign(run, { clean: fingerprint(data) })
    },
    change: (data: FormData) => {
      if (actor.getSnapshot().hasTag('submitting')) Object.assign(run, { later: data })
      actor.send({ type: 'form.changed', dirty: fingerprint(data) !== run.clean })
    },
  }
}
