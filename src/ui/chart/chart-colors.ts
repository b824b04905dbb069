const tagNames = ['sky', 'clay', 'fern', 'ochre', 'iris', 'lagoon', 'rose', 'moss'] as const

/** The color of a series among several, by its place; undefined beyond the eighth. */
export const seriesTag = (index: number) => tagNames[index]

const names = {
  line: '--colors-info',
  grid: '--colors-line',
  words: '--colors-muted',
  limit: '--colors-warning',
  mark: '--colors-bloom-mark',
  tags: tagNames.map((tag) => `--colors-tag-${tag}-mark`),
} as const

export type ChartColors = {
  line: string
  grid: string
  words: string
  limit: string
  mark: string
  series: (index: number) => string
}

/** A canvas cannot use custom properties or `light-dark()`: the computed color of an element is read. */
export const chartColors = (host: HTMLElement): ChartColors => {
  const probe = host.appendChild(document.createElement('i'))
  // Otherwise, where everything has a transition (reduced motion), each color would be read as the previous one.
  probe.style.transition = 'none'
  const read = (name: string) => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const tags = names.tags.map(read)
  const colors = {
    line: read(names.line),
    grid: read(names.grid),
    words: read(names.words),
    limit: read(names.limit),
    mark: read(names.mark),
  }
  probe.remove()
  return { ...colors, series: (index) => tags[index] ?? colors.words }
}

/** Calls back when the theme changes, by the system or the user. */
export const onThemeChange = (changed: () => void): (() => void) => {
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  const chosen = new MutationObserver(changed)
  system.addEventListener('change', changed)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    system.removeEventListener('change', changed)
    chosen.disconnect()
  }
}
