import type { ReactNode } from 'react'
import { nav } from 'styled-system/recipes'

/** The page itself, next to the side nav if there is one. */
export const MainArea = ({ side, children }: { side?: ReactNode; children: ReactNode }) => {
  const classes = nav()
  return (
    <div className={classes.body}>
      {side}
      <main className={classes.main}>{children}</main>
    </div>
  )
}
