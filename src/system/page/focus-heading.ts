import type { Modals } from '../modals/modals'

const focusHeading = () => {
  const { activeElement, body } = document
  if (activeElement !== null && activeElement !== body) return
  const heading = document.querySelector<HTMLElement>('main h1')
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

/**
 * The control that led to another page is often gone with the former one, and the focus with it: the heading takes it, so that a
 * screen reader reads where it is and Tab goes on from there. A dialog that is closing gives the focus back first.
 */
export const focusHeadingOfPage = ({ actor }: Modals): void => {
  if (!actor || actor.getSnapshot().matches('empty')) return focusHeading()
  const waiting = actor.subscribe((snapshot) => {
    if (!snapshot.matches('empty')) return
    waiting.unsubscribe()
    focusHeading()
  })
}
