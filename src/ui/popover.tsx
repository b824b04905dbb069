import { Popover as Ark } from '@ark-ui/react/popover'
import { Portal } from '@ark-ui/react/portal'
import { type ComponentProps, useEffect, useRef } from 'react'
import { createStyleContext } from 'styled-system/jsx'
import { popover } from 'styled-system/recipes'

const { withRootProvider, withContext } = createStyleContext(popover)

export const Root = withRootProvider(Ark.Root, { defaultProps: { lazyMount: true, unmountOnExit: true } })
export const Trigger = withContext(Ark.Trigger, 'trigger')
const Positioner = withContext(Ark.Positioner, 'positioner')
const Box = withContext(Ark.Content, 'content')

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
