import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useSelector } from '@xstate/react'
import { useEffect, useState } from 'react'
import { tour as actor } from '../../../system/tour/tour'
import { Button } from '../../../ui/button'
import { Tour } from '../../../ui/overlay/tour'
import { type Next, useNext } from './next'
import { pageOf, stepsOf } from './steps'

/** Resolves when the page's lists have loaded and are drawn. */
const answered = async (queryClient: QueryClient) => {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (queryClient.isFetching() > 0) return
      stop()
      resolve()
    }
    const stop = queryClient.getQueryCache().subscribe(look)
    look()
  })
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
}

/** The tour of the current page: the chart decides the step, this shows it; the last one may link to the next page. */
export const Guide = () => {
  const router = useRouter()
  const queryClient = useQueryClient()
  const begin = () => {
    const found = stepsOf(pageOf(router.state.matches.at(-1)?.fullPath ?? ''))
    actor.send({ type: 'tour.started', steps: found.length })
    return found
  }
  const [steps, setSteps] = useState<ReturnType<typeof stepsOf>>([])
  // Which elements are visible is known only after drawing.
  useEffect(() => {
    actor.send({ type: 'tour.left' })
    setSteps(begin())
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when the first page has been drawn
  }, [])
  useEffect(
    () => router.subscribe('onBeforeNavigate', ({ pathChanged }) => pathChanged && actor.send({ type: 'tour.left' })),
    [router],
  )
  const visible = useSelector(actor, (snapshot) => snapshot.hasTag('visible'))
  const step = useSelector(actor, (snapshot) => snapshot.context.step)
  // An element that was removed since is skipped at once.
  useEffect(() => {
    if (visible && steps[step]?.find() === null) actor.send({ type: 'step.missing' })
  }, [visible, steps, step])
  const next = useNext()
  const last = step === steps.length - 1
  const goOn = ({ go }: Next) => {
    const drawn = router.subscribe('onRendered', () => {
      drawn()
      void answered(queryClient).then(() => setSteps(begin()))
    })
    go()
  }
  const leave = () => actor.send({ type: 'tour.left' })
  if (!visible) return null
  return (
    <Tour
      steps={steps}
      step={step}
      onLeave={leave}
      onMissing={() => actor.send({ type: 'step.missing' })}
      onMove={(by) => actor.send({ type: by > 0 ? 'step.advanced' : 'step.returned' })}
      actions={
        <>
          {step > 0 && (
            <Button size="small" variant="ghost" onClick={() => actor.send({ type: 'step.returned' })}>
              Back
            </Button>
          )}
          {last && next ? (
            <Button size="small" variant="primary" onClick={() => goOn(next)}>
              {next.label}
            </Button>
          ) : (
            <Button size="small" variant="primary" onClick={() => actor.send({ type: 'step.advanced' })}>
              {last ? 'Done' : 'Next'}
            </Button>
          )}
        </>
      }
    />
  )
}
