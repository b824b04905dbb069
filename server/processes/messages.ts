import { type Infer, is, literal, optional, string, type, union } from 'superstruct'

/** Sent by a host's process once it listens; `account` is the demo's, if it created one. */
export const Ready = type({ kind: literal('ready'), account: optional(string()) })

/** Sent to a host's process: close after the running requests, or the embedded PostgreSQL has moved to another port. */
export const Order = union([type({ kind: literal('close') }), type({ kind: literal('database'), url: string() })])
export type Order = Infer<typeof Order>

/** Handles messages of the parent process. If the channel closes, this process ends itself, because nothing else would end it. */
export const handleParentMessages = (handle: (order: Order) => void): void => {
  process.on('message', (message) => {
    if (is(message, Order)) handle(message)
  })
  process.once('disconnect', () => process.exit(1))
}
