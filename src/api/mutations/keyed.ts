/** Variables of a mutation that creates something: the same key again means the same object, created once. */
export type Keyed<Body> = { body: Body; idempotencyKey?: string }

export const keyOf = ({ idempotencyKey }: { idempotencyKey?: string }) => (idempotencyKey === undefined ? {} : { idempotencyKey })
