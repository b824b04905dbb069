import { css } from 'styled-system/css'
import { Mark } from '../../ui/mark'

const room = css({ minH: 'viewport', display: 'grid', placeItems: 'center' })

/** Between two pages of the session: the mark climbs, words would only flash. */
export const WaitingPage = () => (
  <main className={room} aria-busy="true" aria-label="Loading">
    <Mark size={40} look="busy" />
  </main>
)
