import { Toast as Ark, Toaster as ArkToaster, createToaster } from '@ark-ui/react/toast'
import { toast } from 'styled-system/recipes'
import { Icon } from '../icon/icon'
import { Shape } from '../layout/shape'
import type { ShapeName } from '../layout/shape'

/**
 * Bottom right; five seconds, an error stays until it is closed or its page is left: `toaster.create({ type, title, action,
 * duration })`.
 */
export const toaster = createToaster({ placement: 'bottom-end', overlap: false, gap: 8, max: 4, duration: 5000, offsets: '24px' })

const shapeOf: Record<string, ShapeName> = {
  success: 'success',
  error: 'error',
  warning: 'warning',
  info: 'info',
  loading: 'running',
}

export const Toaster = () => {
  const classes = toast()
  return (
    <ArkToaster toaster={toaster} className={classes.group}>
      {(notice) => (
        <Ark.Root className={classes.root}>
          <Shape name={shapeOf[notice.type ?? 'info'] ?? 'info'} />
          <Ark.Title className={classes.title}>{notice.title}</Ark.Title>
          {notice.description && <Ark.Description className={classes.description}>{notice.description}</Ark.Description>}
          {notice.action && <Ark.ActionTrigger className={classes.actionTrigger}>{notice.action.label}</Ark.ActionTrigger>}
          <Ark.CloseTrigger className={classes.closeTrigger} aria-label="Close">
            <Icon name="x" size={14} />
          </Ark.CloseTrigger>
        </Ark.Root>
      )}
    </ArkToaster>
  )
}
