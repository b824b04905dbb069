import { useState } from 'react'

/** For a trigger whose part is fetched when somebody reaches for it, and drawn once it was used. */
export const useLazyTrigger = (load: () => Promise<unknown>) => {
  const [used, setUsed] = useState(false)
  return { used, reach: { onPointerEnter: () => void load().catch(() => {}), onClick: () => setUsed(true) } }
}
