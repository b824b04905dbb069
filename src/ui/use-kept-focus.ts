import { useRef } from 'react'

/** A person who comes back to the control takes longer. */
const lateMs = 150

/**
 * For a control with a list. Zag gives the control the focus in the frame after its list has closed, even if the focus has moved on
 * since: the next key would then open the list again. The focus goes back to where it was, once, so that a dialog can still keep it
 * inside.
 */
export const useKeptFocus = <E extends HTMLElement>() => {
  const control = useRef<E>(null)
  const onOpenChange = ({ open }: { open: boolean }): void => {
    if (open) return
    let moved: HTMLElement | undefined
    const watch = ({ target, relatedTarget }: FocusEvent) => {
      if (target !== control.current) {
        moved = target instanceof HTMLElement && target.closest('[role=listbox]') === null ? target : undefined
        return
      }
      const isTaken = moved !== undefined && moved === relatedTarget
      stop()
      if (isTaken) moved?.focus({ preventScroll: true })
    }
    const stop = () => document.removeEventListener('focusin', watch)
    document.addEventListener('focusin', watch)
    // Zag asks for its frame when the list has been rendered anew.
    setTimeout(stop, lateMs)
  }
  return { control, onOpenChange }
}
