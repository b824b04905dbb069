import { type AnyEventObject, type CallbackActorLogic, fromCallback, fromPromise, type PromiseActorLogic } from 'xstate'

/** An asynchronous task with one answer, provided by the application. Without an implementation it fails with its name. */
export type Port<Output, Input = void> = PromiseActorLogic<Output, Input>
export const port = <Output, Input = void>(id: string): Port<Output, Input> =>
  fromPromise<Output, Input>(() => Promise.reject(new Error(`Nothing is plugged into the port '${id}'`)))

/** A source of events for as long as its state is active: provide a callback actor that sends `Fact`s. */
export type EventPort<Fact extends AnyEventObject, Input = void> = CallbackActorLogic<AnyEventObject, Input> & {
  readonly tells?: Fact
}
export const eventPort = <Fact extends AnyEventObject, Input = void>(id: string): EventPort<Fact, Input> =>
  fromCallback<AnyEventObject, Input>(() => {
    throw new Error(`Nothing is plugged into the line '${id}'`)
  })

/** The status of a port's failure: a `Failure` of the contract; 0 if there is none, as with a network failure. */
export const statusOf = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number' ? error.status : 0
