import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import type { KeyRevocationStops, RevocationStops as Stops } from '../../contract/fleet/keys'
import { releaseDisplay, rolloutStateDisplay } from '../lib/status-display'
import { Status } from '../ui/text/chip'
import { Callout } from '../ui/layout/notice'

const list = css({ display: 'grid', gap: '4', maxH: '160', overflowY: 'auto' })
const row = css({ display: 'flex', justifyContent: 'space-between', gap: '12' })

type Props = {
  stops: Stops & Partial<KeyRevocationStops>
  /** Says that nothing stops. */
  none: string
  children: ReactNode
}

/** The releases and bundles that depend on what is revoked, and open rollouts, by name. `children` says what happens to them. */
export const RevocationStops = ({ stops: { releases, rollouts, bundles = [] }, none, children }: Props) => {
  if (releases.length === 0 && rollouts.length === 0 && bundles.length === 0) return <Callout kind="info">{none}</Callout>
  return (
    <>
      <Callout kind="warning">{children}</Callout>
      <ul className={list} aria-label="What stops">
        {rollouts.map(({ id, name, state }) => (
          <li key={id} className={row}>
            <span>Rollout {name}</span>
            <Status shape={rolloutStateDisplay(state).shape}>{rolloutStateDisplay(state).word}</Status>
          </li>
        ))}
        {releases.map(({ id, name, version, display_version, state }) => (
          <li key={id} className={row}>
            <span>
              Release {name} {display_version ?? version}
            </span>
            <Status shape={releaseDisplay(state).shape}>{releaseDisplay(state).word}</Status>
          </li>
        ))}
        {bundles.map(({ id, name, version }) => (
          <li key={id} className={row}>
            <span>
              Fuse plan of {name} v{version}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
