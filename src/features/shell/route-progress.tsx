import { useRouterState } from '@tanstack/react-router'
import { css } from 'styled-system/css'

const track = css({
  position: 'fixed',
  zIndex: 'side',
  top: '0',
  insetX: '0',
  h: '2',
  overflow: 'hidden',
  pointerEvents: 'none',
  animation: 'late',
})
const part = css({ display: 'block', w: '1/4', h: 'full', bg: 'bloom.mark', animation: 'sweep' })

/** What was on the screen stays until the next page is ready; that one is on its way is said over it. A quick one is not announced. */
export const RouteProgress = () => {
  const loading = useRouterState({ select: ({ isLoading }) => isLoading })
  return loading ? (
    <div className={track} role="progressbar" aria-label="Loading the page">
      <i className={part} />
    </div>
  ) : null
}
