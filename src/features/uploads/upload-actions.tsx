import { useSelector } from '@xstate/react'
import type { UploadActor } from '../../system/uploads/uploads'
import { IconButton } from '../../ui/icon/icon-button'

/** The possible actions of an upload in its state. */
export const UploadActions = ({ upload, name }: { upload: UploadActor; name: string }) => {
  const stage = useSelector(upload, (snapshot) => {
    if (snapshot.hasTag('offered') && snapshot.can({ type: 'retry.asked' })) return 'different'
    if (snapshot.hasTag('failed')) return 'failed'
    if (snapshot.hasTag('ended')) return 'ended'
    if (snapshot.hasTag('paused')) return 'paused'
    return snapshot.can({ type: 'upload.paused' }) ? 'running' : 'other'
  })
  const small = { variant: 'ghost', size: 'small', hint: false } as const
  return (
    <>
      {stage === 'running' && (
        <IconButton
          {...small}
          icon="pause"
          label={`Pause ${name}`}
          data-analytics-name="Pause upload"
          onClick={() => upload.send({ type: 'upload.paused' })}
        />
      )}
      {stage === 'paused' && (
        <IconButton
          {...small}
          icon="play"
          label={`Resume ${name}`}
          data-analytics-name="Resume upload"
          onClick={() => upload.send({ type: 'upload.resumed' })}
        />
      )}
      {stage === 'different' && (
        <IconButton
          {...small}
          icon="refresh"
          label={`Start ${name} again`}
          data-analytics-name="Start upload again"
          onClick={() => upload.send({ type: 'retry.asked' })}
        />
      )}
      {stage === 'failed' && (
        <IconButton
          {...small}
          icon="refresh"
          label={`Retry ${name}`}
          data-analytics-name="Retry upload"
          onClick={() => upload.send({ type: 'retry.asked' })}
        />
      )}
      {stage !== 'ended' && (
        <IconButton
          {...small}
          icon="x"
          label={`Cancel ${name}`}
          data-analytics-name="Cancel upload"
          onClick={() => upload.send({ type: 'upload.cancelled' })}
        />
      )}
    </>
  )
}
