import { Suspense, useEffect, useState } from 'react'
import { css } from 'styled-system/css'
import { lazyPart } from '../../system/lazy'
import { Kbd } from '../../ui/badge'
import { Icon } from '../../ui/icon'
import { shortcut } from '../../lib/shortcut'

const load = () => import('./palette/palette').then((part) => part.Palette)
const Palette = lazyPart(load)

const box = css({
  display: 'flex',
  alignItems: 'center',
  justifyContent: { base: 'center', xl: 'flex-start' },
  gap: '8',
  w: { base: 'controlTouch', md: 'control', xl: '200' },
  h: { base: 'controlTouch', md: 'control' },
  px: { xl: '8' },
  border: { base: 'clear', xl: 'strong' },
  borderRadius: '4',
  bg: { xl: 'surface' },
  color: 'muted',
  whiteSpace: 'nowrap',
  _hover: { color: 'text', bg: 'hover' },
  '& > :not(svg)': { display: { base: 'none', xl: 'flex' } },
  '& > kbd': { ml: 'auto' },
})

/** Opens the command palette, as Ctrl K and ⌘ K do from anywhere; it comes when somebody reaches for it. */
export const SearchButton = () => {
  const [used, setUsed] = useState(false)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      setUsed(true)
      setOpen((was) => !was)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <>
      <button
        type="button"
        className={box}
        aria-label="Search or jump to"
        aria-haspopup="dialog"
        onPointerEnter={() => void load().catch(() => {})}
        onClick={() => {
          setUsed(true)
          setOpen(true)
        }}
      >
        <Icon name="search" />
        <span>Search or jump to</span>
        <Kbd>{shortcut('K')}</Kbd>
      </button>
      {used && (
        <Suspense>
          <Palette open={open} onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  )
}
