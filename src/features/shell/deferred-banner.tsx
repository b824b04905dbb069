import { useSelector } from '@xstate/react'
import { titles } from '../../../contract/core/errors'
import { useSystem } from '../../system/system'
import { Banner } from '../../ui/layout/notice'

/** R11: a new version waits while an upload runs or a form is unsaved; also shown if a reload did not help. */
export const DeferredBanner = () => {
  const { chunkReload } = useSystem()
  const stage = useSelector(chunkReload, ({ hasTag, ...snapshot }) =>
    hasTag.call(snapshot, 'deferred') ? 'deferred' : hasTag.call(snapshot, 'stuck') ? 'stuck' : undefined,
  )
  if (stage === undefined) return null
  const reload = { label: 'Reload now', onClick: () => chunkReload.send({ type: 'reload.asked' as const }) }
  return (
    <Banner kind={stage === 'stuck' ? 'error' : 'info'} wide action={reload}>
      {stage === 'stuck'
        ? `${titles.fallback} A part of the app is missing, and reloading did not help.`
        : 'A new app version is available. It loads when your changes are saved and your uploads are done.'}
    </Banner>
  )
}
