import { type ReactNode, useEffect, useRef, useState } from 'react'

/**
 * A large part above a long list: while it is scrolled out of sight, a box of its height stands for it, as for the rows that are
 * out of sight. A part with the focus stays.
 */
export const WhileInSight = ({ children }: { children: ReactNode }) => {
  const box = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const watch = new IntersectionObserver(([entry]) => {
      if (!entry) return
      if (entry.isIntersecting) setHeight(undefined)
      else if (!element.contains(document.activeElement)) setHeight((kept) => kept ?? entry.boundingClientRect.height)
    })
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  return (
    <div ref={box} style={{ height }}>
      {height === undefined && children}
    </div>
  )
}
