import { type AnyEventObject, type CallbackActorLogic, fromCallback, fromPromise, type PromiseActorLogic } from 'xstate'

/** A hole that gives one answer. `provide` fills it; left open it fails with its name, so nobody looks for it long. */
export type Port<Output, Input = void> = PromiseActorLogic<Output, Input>
export const port = <Output, Input = void>(id: string): Port<Output, Input> =>
  fromPromise<Output, Input>(() => Promise.reject(new Error(`Nothing is plugged into the port '${id}'`)))

/** A hole that tells facts for as long as its state lasts: `provide` fills it with a callback actor that sends `Fact`s. */
export type EventPort<Fact extends AnyEventObject, Input = void> = CallbackActorLogic<AnyEventObject, Input> & {
  readonly tells?: Fact
}
export const eventPort = <Fact extends AnyEventObject, Input = void>(id: string): EventPort<Fact, Input> =>
  fromCallback<AnyEventObject, Input>(() => {
    throw new Error(`Nothing is plugged into the line '${id}'`)
  })

/** The status of what a port failed with: a `Failure` of the contract; 0 when there is none, as with a network failure. */
export const statusOf = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number' ? error.status : 0
