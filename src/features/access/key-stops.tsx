import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import type { KeyRevocation } from '../../../contract/keys'
import { releaseDisplay, rolloutStateDisplay } from '../../lib/status-display'
import { Status } from '../../ui/chip'
import { Callout } from '../../ui/notice'

const list = css({ display: 'grid', gap: '4', maxH: '160', overflowY: 'auto' })
const row = css({ display: 'flex', justifyContent: 'space-between', gap: '12' })

/** The releases that only this key has signed, and their open rollouts, by name. `children` says what happens to them. */
export const KeyStops = ({ stops: { releases, rollouts }, children }: { stops: KeyRevocation; children: ReactNode }) => {
  if (releases.length === 0 && rollouts.length === 0)
    return <Callout kind="info">No release depends on this key alone, so no rollout stops.</Callout>
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
      </ul>
    </>
  )
}
