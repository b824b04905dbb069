import { css } from 'styled-system/css'
import { Mark } from '../../ui/icon/mark'

const room = css({ minH: 'viewport', display: 'grid', placeItems: 'center' })

/** Shown during a redirect: the animated logo only, because text would flash. */
export const WaitingPage = () => (
  <main className={room} aria-busy="true" aria-label="Loading">
    <Mark size={40} look="busy" />
  </main>
)
