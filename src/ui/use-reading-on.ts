import { useEffect, useState } from 'react'

// A finger that rests moves a page by less.
const slack = 8

/** Whether somebody reads on: the page was scrolled down last, and its end has not come. What floats over the lines steps aside meanwhile. */
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
