const isTooLong = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth

/** With `data-cut`: the elements that contain more text than they have room for. */
const mark = (elements: Iterable<Element>) => {
  // All are read before the first is written: one layout.
  const found = Array.from(elements, (element) => ({
    element,
    cut: isTooLong(element) || [...element.querySelectorAll('*')].some(isTooLong),
  }))
  for (const { element, cut } of found) element.toggleAttribute('data-cut', cut)
}

/**
 * Keeps `data-cut` on those elements of `selector` below a root that contain more text than they have room for. In a long list only
 * these are clipped: while it scrolls, a clip costs as much paint as the rest of its row.
 */
export const watchCutText = (root: Element, selector: string) => {
  const below = (element: Element | null) => {
    const one = element?.closest(selector)
    return one ? [one] : [...(element?.querySelectorAll(selector) ?? [])]
  }
  const contents = new MutationObserver((changes) => {
    const changed = changes.flatMap(({ target, addedNodes }) => (target === root ? [...addedNodes] : [target]))
    mark(new Set(changed.flatMap((node) => below(node instanceof Element ? node : node.parentElement))))
  })
  contents.observe(root, { childList: true, characterData: true, subtree: true })
  return {
    /** After a change of widths, which is not watched. */
    update: () => mark(root.querySelectorAll(selector)),
    stop: () => contents.disconnect(),
  }
}
