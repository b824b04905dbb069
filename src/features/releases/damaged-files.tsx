import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { css } from 'styled-system/css'
import type { Asset } from '../../../contract/updates/release-assets'
import type { Release } from '../../../contract/updates/releases'
import { openUploadsQuery } from '../../api/queries/updates/uploads'
import { formatBytes } from '../../lib/bytes'
import { useRefusal } from '../../system/scope/grants'
import { notify } from '../../system/failure/notify'
import { notifyFailed } from '../../system/failure/notify-failed'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/layout/notice'
import { DateTime } from '../../ui/text/time'

const line = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8', justifyContent: 'space-between' })

const DamagedFile = ({ asset }: { asset: Asset }) => {
  const { api, uploads } = useSystem()
  const client = useQueryClient()
  const refused = useRefusal('project:manage_releases')
  const input = useRef<HTMLInputElement>(null)
  const send = async (file: File) => {
    if (file.size !== asset.size)
      return notify({
        kind: 'error',
        text: `This is another file: ${asset.name} has ${formatBytes(asset.size)}`,
        detail: `${file.name}, ${formatBytes(file.size)}`,
      })
    const own = await client.fetchQuery(openUploadsQuery(api))
    if (own.some(({ target_id: target }) => target === asset.id))
      return notify({
        kind: 'info',
        text: `Your upload of ${asset.name} has not ended`,
        detail: 'Continue or cancel it in the list of uploads. After it was closed, reload the page to see it again.',
      })
    return uploads.add([{ file, purpose: 'release_asset', targetId: asset.id }])
  }
  return (
    <div className={line}>
      <span>
        <strong>{asset.name}</strong> is damaged in the storage, found <DateTime value={asset.damaged_at} />. No device gets this
        release. Upload the same file again, or revoke the release.
        {asset.state === 'uploading' && ' An upload of it has begun and has not ended. Another one ends it.'}
      </span>
      {(asset.state === 'rejected' || asset.state === 'uploading') && (
        <Button
          size="small"
          refused={refused}
          data-analytics-name="Upload damaged file again"
          onClick={() => input.current?.click()}
        >
          Upload again
        </Button>
      )}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`Upload ${asset.name} again`}
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file) void send(file).catch(notifyFailed)
          // The same file can be selected again after it was refused.
          target.value = ''
        }}
      />
    </div>
  )
}

/** Files whose stored bytes differ from the uploaded ones: since when, and how to repair it. */
export const DamagedFiles = ({ release }: { release: Release }) => (
  <Callout kind="error">
    {release.assets
      .filter((asset) => asset.damaged_at)
      .map((asset) => (
        <DamagedFile key={asset.id} asset={asset} />
      ))}
  </Callout>
)
