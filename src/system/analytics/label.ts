const buttons = 'button, [role=button], [role=menuitem], [role=tab], [role=switch], a.button'
const silent = 'svg, [aria-hidden=true], [role=status], [role=tooltip], kbd'

export const buttonOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest(buttons) : null

const wordsOf = (node: Node): string => {
  if (node instanceof Text) return node.data
  if (node instanceof Element && node.matches(silent)) return ''
  return [...node.childNodes].map(wordsOf).join(' ')
}

const plain = (text: string | null) => text?.replace(/\s+/g, ' ').trim()

/** R25: a label found in the source, word for word. Other button texts may contain a name or token. */
export const labelOf = (button: Element, catalogue: ReadonlySet<string>): string => {
  const said = [button.getAttribute('data-analytics-name'), button.getAttribute('aria-label'), wordsOf(button)]
  return said.map(plain).find((label) => label !== undefined && catalogue.has(label)) ?? 'unnamed'
}
