import { useEffect, useState } from 'react'

// A resting finger scrolls a page by less.
const slack = 8

/**
 * Whether the user is reading on: the last scroll was downward, and the end is not reached. Floating elements are hidden
 * meanwhile.
 */
export const useReadingOn = () => {
  const [reading, setReading] = useState(false)
  useEffect(() => {
    let last = window.scrollY
    const look = () => {
      const { scrollY, innerHeight } = window
      const ended = scrollY + innerHeight >= document.documentElement.scrollHeight - slack
      if (ended || scrollY < slack) setReading(false)
      else if (Math.abs(scrollY - last) < slack) return
      else setReading(scrollY > last)
      last = scrollY
    }
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [])
  return reading
}
