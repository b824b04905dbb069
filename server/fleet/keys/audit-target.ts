/** A signing key as the audit log names it. */
export const keyTarget = ({ id, name }: { id: string; name: string }) => ({ kind: 'signing_key', id, name })
