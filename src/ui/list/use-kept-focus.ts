import { useRef } from 'react'

/** Zag asks for its frame once the closed list has been rendered. On a busy machine both come late, so frames are counted, not time. */
const lateFrames = 10

const afterFrames = (frames: number, then: () => void): void =>
  void requestAnimationFrame(() => (frames > 1 ? afterFrames(frames - 1, then) : then()))

/**
 * For a control with a list. Zag gives the control the focus in a frame after its list has closed, even if the focus has moved on
 * since: the next key would then open the list again. Such a call has no effect here.
 */
export const useKeptFocus = <E extends HTMLElement>() => {
  const control = useRef<E>(null)
  const onOpenChange = ({ open }: { open: boolean }): void => {
    const element = control.current
    if (open || !element) return
    const list = document.getElementById(element.getAttribute('aria-controls') ?? '')
    const isOwn = (target: EventTarget | null) =>
      target instanceof Node && (target === element || list?.contains(target) === true)
    let hasMoved = false
    // What gets the focus from nowhere has it only because the list was removed.
    const watch = ({ target, relatedTarget }: FocusEvent) => {
      if (isOwn(target)) hasMoved = false
      else if (isOwn(relatedTarget)) hasMoved = true
    }
    const focus = (options?: FocusOptions) => {
      if (!hasMoved) HTMLElement.prototype.focus.call(element, options)
    }
    element.focus = focus
    document.addEventListener('focusin', watch)
    afterFrames(lateFrames, () => {
      document.removeEventListener('focusin', watch)
      if (element.focus === focus) Reflect.deleteProperty(element, 'focus')
    })
  }
  return { control, onOpenChange }
}
