// Runs before the first paint: a classic script, because a module waits for the document and the shell would flash.
;(() => {
  const root = document.documentElement
  const applyTheme = () => {
    try {
      const theme = localStorage.getItem('theme')
      if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
      else delete root.dataset.theme
    } catch {
      // Storage is blocked: the system's setting counts.
    }
  }
  addEventListener('storage', applyTheme)
  applyTheme()
  // Selects the static shell of the document until the app is ready.
  const framed = /^\/(account\/|organizations\/[^/]+\/projects\/(?!add\/?$)[^/])/
  const cards = /^\/(organizations(\/[^/]+\/projects)?\/?)?$/
  const { pathname, search, hash } = location
  root.dataset.shell = framed.test(pathname) ? 'framed' : cards.test(pathname) ? 'cards' : 'plain'
  // T-09: the performance entries of a document keep the URL that it was loaded from, and no script can remove it. So the code of
  // a sign-in is passed to a second load of this page, at a URL without it; this document stops before the app starts.
  const fragment = new URLSearchParams(hash.slice(1))
  const code = fragment.get('code')
  const state = fragment.get('state')
  if (code === null || state === null) return
  history.replaceState(history.state, '', pathname + search)
  try {
    sessionStorage.setItem('sign_in_code', JSON.stringify({ code, state }))
  } catch {
    // Storage is blocked: there is no verifier either, and the app says why sign-in cannot complete.
  }
  stop()
  location.replace(pathname + search)
})()
