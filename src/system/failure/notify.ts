export type Notice = {
  kind: 'success' | 'error' | 'warning' | 'info'
  text: string
  detail?: string
  /** An action button. A notice with one stays until it is closed. */
  action?: { label: string; onClick: () => void }
}

let begun = false
/** Closes each visible error. */
const errors: (() => void)[] = []
const listeners = new Set<() => void>()

/** Shows a toast. Its code loads with the first one. */
export const notify = async ({ kind, text, detail, action }: Notice): Promise<void> => {
  const { toaster } = await import('../../ui/overlay/toast')
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

/** Closes the errors of the page that was left. */
export const closeErrors = (): void => {
  for (const close of errors.splice(0)) close()
}

/** Notifies when the first toast was requested: only then the list is rendered. */
export const watchNotices = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const noticesBegun = () => begun
