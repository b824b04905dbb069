// What must be known before the first paint: a classic script, because a module waits for the document and the shell would flash.
;(() => {
  const root = document.documentElement
  const wear = () => {
    try {
      const theme = localStorage.getItem('theme')
      if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
      else delete root.dataset.theme
    } catch {
      // Storage is blocked: the system's wish holds.
    }
  }
  addEventListener('storage', wear)
  wear()
  // Which of the document's shells stands until the app does.
  const framed = /^\/(account\/|organizations\/[^/]+\/projects\/(?!add\/?$)[^/])/
  const cards = /^\/(organizations(\/[^/]+\/projects)?\/?)?$/
  const { pathname } = location
  root.dataset.shell = framed.test(pathname) ? 'framed' : cards.test(pathname) ? 'cards' : 'plain'
})()
