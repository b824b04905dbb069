import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { Mark } from '../../ui/icon/mark'

const room = css({ minH: 'viewport', display: 'grid', placeItems: 'center', p: '24' })
const plate = css({ display: 'grid', justifyItems: 'center', gap: '12', maxW: 'form', textAlign: 'center' })
const heading = css({ textStyle: 'heading', mt: '8' })
const words = css({ color: 'text2', textWrap: 'balance' })
const foot = css({ display: 'flex', flexWrap: 'wrap', justifyContent: 'center', gap: '8', mt: '8' })

type Props = { title: string; busy?: boolean; children?: ReactNode; actions?: ReactNode }

/** A whole page with one message, before or between sessions. */
export const StatusPage = ({ title, busy, children, actions }: Props) => (
  <main className={room} aria-busy={busy}>
    <div className={plate} role="status">
      <Mark size={40} look={busy ? 'busy' : 'band'} />
      <h1 className={heading}>{title}</h1>
      {children !== undefined && <p className={words}>{children}</p>}
      {actions !== undefined && <div className={foot}>{actions}</div>}
    </div>
  </main>
)
