/** Whether no control has the focus: a letter is then a key of the page. Its heading and its main part take it to be read. */
export const isPageFocused = (): boolean => {
  const { activeElement: active, body } = document
  return active === null || active === body || active.id === 'main' || active.matches('main h1')
}
