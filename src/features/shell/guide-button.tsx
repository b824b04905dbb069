import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'

/** §1: starts the guided tour of the page at hand. */
export const GuideButton = ({ className, onUse }: { className?: string; onUse?: () => void }) => {
  const { tour } = useSystem()
  return (
    <Button
      className={className}
      size="small"
      icon={<Icon name="compass" />}
      onClick={() => {
        onUse?.()
        tour.ask()
      }}
    >
      Guide
    </Button>
  )
}
