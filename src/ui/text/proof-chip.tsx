import type { ReactNode } from 'react'
import { chip } from 'styled-system/recipes'
import { Icon } from '../icon/icon'
import type { IconName } from '../icon/icon'
import type { Kind } from './kind'

/** A verifiable fact: what it is, then who verified it, separated by a line. */
export const ProofChip = ({ icon, children, verdict }: { icon: IconName; children: ReactNode; verdict?: ReactNode }) => {
  const classes = chip()
  return (
    <span className={classes.proof}>
      <span className={classes.part}>
        <Icon name={icon} size={14} />
        {children}
      </span>
      {verdict}
    </span>
  )
}

export const ProofPart = ({ kind = 'success', children }: { kind?: Kind; children: ReactNode }) => (
  <span className={chip().part} data-kind={kind}>
    <Icon name={kind === 'success' ? 'check' : kind === 'error' ? 'x' : 'info'} size={12} />
    {children}
  </span>
)
