import { Popover as Ark } from '@ark-ui/react/popover'
import { Portal } from '@ark-ui/react/portal'
import { type ComponentProps, useEffect, useRef } from 'react'
import { popover } from 'styled-system/recipes'
import { slotsOf } from '../slots'

const slot = slotsOf(popover)

export const Root = (props: ComponentProps<typeof Ark.Root>) => <Ark.Root lazyMount unmountOnExit {...props} />
export const Trigger = slot(Ark.Trigger, 'trigger')
const Positioner = slot(Ark.Positioner, 'positioner')
const Box = slot(Ark.Content, 'content')

const tabbable = 'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select, textarea'

export const Content = (props: ComponentProps<typeof Box>) => {
  const box = useRef<HTMLDivElement>(null)
  // Zag leaves the focus of a popover that is open from the start: one whose code was loaded by its button, which lost the focus.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (!box.current || document.activeElement !== document.body) return
      const first = box.current.querySelector<HTMLElement>(tabbable) ?? box.current
      first.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <Portal>
      <Positioner>
        <Box {...props} ref={box} />
      </Positioner>
    </Portal>
  )
}
