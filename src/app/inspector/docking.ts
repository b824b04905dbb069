import { useEffect, useState } from 'react'

export type Side = 'bottom' | 'right'
const name = 'inspect.dock'
const least = 240

type Docked = { side: Side; sizes: Record<Side, number> }
const usual: Docked = { side: 'bottom', sizes: { bottom: 380, right: 520 } }

const remembered = (): Docked => {
  try {
    return { ...usual, ...(JSON.parse(sessionStorage.getItem(name) ?? '{}') as Partial<Docked>) }
  } catch {
    return usual
  }
}

/** The padding of the page for the panel, also for floating elements. */
const room = (side: Side, size: number) => `
  body { padding-${side}: ${size}px }
  .dialog__positioner, .dialog__backdrop, .drawer__positioner { ${side}: ${size}px }
  .dock__panel, .dock__corner, .dock__bulk, [data-scope=toast][data-part=group] { margin-${side}: ${size}px }
`

/** The side and size of the panel; kept per tab. */
export const useDocking = (frame: HTMLElement) => {
  const [docked, setDocked] = useState(remembered)
  const { side, sizes } = docked
  const most = (side === 'bottom' ? window.innerHeight : window.innerWidth) - least
  const size = Math.max(least, Math.min(sizes[side], most))
  useEffect(() => {
    sessionStorage.setItem(name, JSON.stringify(docked))
    const style = document.head.appendChild(document.createElement('style'))
    style.textContent = room(side, size)
    frame.style.setProperty('--inspector', `${size}px`)
    return () => style.remove()
  }, [docked, side, size, frame])
  return {
    side,
    size,
    turn: () => setDocked({ ...docked, side: side === 'bottom' ? 'right' : 'bottom' }),
    resize: (wanted: number) => setDocked({ side, sizes: { ...sizes, [side]: Math.round(wanted) } }),
  }
}
