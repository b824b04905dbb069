import { useState } from 'react'

/** For a trigger whose content loads on hover or focus and renders after its first use. */
export const useLazyTrigger = (load: () => Promise<unknown>) => {
  const [used, setUsed] = useState(false)
  return { used, reach: { onPointerEnter: () => void load().catch(() => {}), onClick: () => setUsed(true) } }
}
