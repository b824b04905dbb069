/** What a mutation that makes something is given: the same key again means the same thing, made once (product 4.1). */
export type Keyed<Body> = { body: Body; idempotencyKey?: string }

export const keyOf = ({ idempotencyKey }: { idempotencyKey?: string }) => (idempotencyKey === undefined ? {} : { idempotencyKey })
