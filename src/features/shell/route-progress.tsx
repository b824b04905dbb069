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

/** The previous page stays until the next one is ready; this bar shows that it is loading. Fast navigation is not announced. */
export const RouteProgress = () => {
  const loading = useRouterState({ select: ({ isLoading }) => isLoading })
  return loading ? (
    <div className={track} role="progressbar" aria-label="Loading the page">
      <i className={part} />
    </div>
  ) : null
}
