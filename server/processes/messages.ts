import { type Infer, is, literal, optional, string, type, union } from 'superstruct'

/** What the process of a host says once it listens; `account` is the demo's, where it made one. */
export const Ready = type({ kind: literal('ready'), account: optional(string()) })

/** What it is told: to finish what runs and end, or that the embedded PostgreSQL runs on another port now. */
export const Order = union([type({ kind: literal('close') }), type({ kind: literal('database'), url: string() })])
export type Order = Infer<typeof Order>

/** Hears the orders of the process that started this one. Without it nobody would end this process, and so it ends itself. */
export const takeOrders = (handle: (order: Order) => void): void => {
  process.on('message', (message) => {
    if (is(message, Order)) handle(message)
  })
  process.once('disconnect', () => process.exit(1))
}
