export type Notice = {
  kind: 'success' | 'error' | 'warning' | 'info'
  text: string
  detail?: string
  /** The way on. A notice that has one stays until it is closed. */
  action?: { label: string; onClick: () => void }
}

let begun = false
/** Closes each error that stands. */
const errors: (() => void)[] = []
const listeners = new Set<() => void>()

/** A toast. The part that draws them loads with the first one. */
export const notify = async ({ kind, text, detail, action }: Notice): Promise<void> => {
  const { toaster } = await import('../ui/toast')
  begun = true
  for (const listener of listeners) listener()
  const id = toaster.create({
    type: kind,
    title: text,
    ...(detail !== undefined && { description: detail }),
    ...(action !== undefined && { action }),
    // An error stays until it is closed or its page is left.
    ...((kind === 'error' || action !== undefined) && { duration: Number.POSITIVE_INFINITY }),
  })
  if (kind === 'error') errors.push(() => toaster.dismiss(id))
}

/** An error stays as long as the page that it is about: who goes elsewhere has read it. */
export const closeErrors = (): void => {
  for (const close of errors.splice(0)) close()
}

/** Whether anything was ever said: only then is there something to draw. */
export const watchNotices = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const noticesBegun = () => begun
