import { fetchPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'

const ask = () => fetchPart(() => import('../../system/tour/tour')).then(({ requestTour: askTour }) => askTour())

/** §1: starts the guided tour of the current page. */
export const GuideButton = ({ className, onUse }: { className?: string; onUse?: () => void }) => (
  <Button
    className={className}
    size="small"
    icon={<Icon name="compass" />}
    onClick={() => {
      onUse?.()
      void ask()
    }}
  >
    Guide
  </Button>
)
