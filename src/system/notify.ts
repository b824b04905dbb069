export type Notice = {
  kind: 'success' | 'error' | 'warning' | 'info'
  text: string
  detail?: string
  /** The way on. A notice that has one stays until it is closed. */
  action?: { label: string; onClick: () => void }
}

let begun = false
const listeners = new Set<() => void>()

/** A toast. The part that draws them loads with the first one. */
export const notify = async ({ kind, text, detail, action }: Notice): Promise<void> => {
  const { toaster } = await import('../ui/toast')
  begun = true
  for (const listener of listeners) listener()
  toaster.create({
    type: kind,
    title: text,
    ...(detail !== undefined && { description: detail }),
    ...(action !== undefined && { action }),
    // look.md 9: errors stay.
    ...((kind === 'error' || action !== undefined) && { duration: Number.POSITIVE_INFINITY }),
  })
}

/** Whether anything was ever said: only then is there something to draw. */
export const watchNotices = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const noticesBegun = () => begun
