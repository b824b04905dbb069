/** A device as the audit log names it. */
export const deviceTarget = ({ id, name }: { id: string; name: string }) => ({ kind: 'device', id, name })
