import { Portal } from '@ark-ui/react/portal'
import { Tour as Ark, useTour } from '@ark-ui/react/tour'
import { IconButton } from '../icon/icon-button'
import { type KeyboardEvent, type ReactNode, useEffect } from 'react'
import { tour } from 'styled-system/recipes'
import { slotsOf } from '../slots'

const slot = slotsOf(tour)
// Ark's root component renders no element: the styles are on the first element inside it.
const Layer = slot('div', 'layer')
const Backdrop = slot(Ark.Backdrop, 'backdrop')
const Spotlight = slot(Ark.Spotlight, 'spotlight')
const Positioner = slot(Ark.Positioner, 'positioner')
const Content = slot(Ark.Content, 'content')
const Head = slot('header', 'head')
const Title = slot(Ark.Title, 'title')
const Description = slot(Ark.Description, 'description')
const Footer = slot('footer', 'footer')
const Progress = slot('span', 'progress')

export type TourStep = { id: string; find: () => HTMLElement | null; title: string; text: ReactNode; side?: 'right' }

type Props = {
  steps: readonly TourStep[]
  /** The current step, controlled by the owner of the tour. */
  step: number
  onLeave: () => void
  onMissing: () => void
  onMove: (by: 1 | -1) => void
  /** The buttons; the primary one last. */
  actions: ReactNode
}

/** One step of a tour: the highlighted element, with a card next to it. Escape and a click elsewhere end it. */
export const Tour = ({ steps, step, onLeave, onMissing, onMove, actions }: Props) => {
  const view = useTour({
    steps: steps.map(({ id, find, title, text, side }) => ({
      id,
      target: find,
      title,
      description: text,
      // Aligned with the left edge of its element: next to the navigation, never over it.
      placement: side ?? 'bottom-start',
    })),
    keyboardNavigation: false,
    spotlightOffset: { x: 4, y: 4 },
    onStatusChange: ({ status }) => {
      if (status === 'dismissed') onLeave()
      else if (status === 'not-found') onMissing()
    },
  })
  const current = steps[step]
  const id = current?.id
  useEffect(() => {
    if (id === undefined) return
    if (view.open) view.setStep(id)
    else view.start(id)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the view follows the owner's step, and nothing else
  }, [id])
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowRight') onMove(1)
    else if (key === 'ArrowLeft') onMove(-1)
  }
  return (
    <Portal>
      <Layer>
        <Ark.Root tour={view} lazyMount unmountOnExit>
          <Backdrop />
          <Spotlight />
          <Positioner>
            <Content onKeyDown={onKeyDown}>
              <Head>
                <Title>{current?.title}</Title>
                <IconButton icon="x" label="Close the guide" variant="ghost" size="small" hint={false} onClick={onLeave} />
              </Head>
              <Description>{current?.text}</Description>
              <Footer>
                <Progress>
                  {step + 1} of {steps.length}
                </Progress>
                {actions}
              </Footer>
            </Content>
          </Positioner>
        </Ark.Root>
      </Layer>
    </Portal>
  )
}
