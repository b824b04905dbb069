import { useRef } from 'react'
import { css } from 'styled-system/css'
import type { Asset } from '../../../contract/release-assets'
import type { Release } from '../../../contract/releases'
import { formatBytes } from '../../lib/bytes'
import { useRefusal } from '../../system/grants'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/notice'
import { DateTime } from '../../ui/time'

const line = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8', justifyContent: 'space-between' })

const DamagedFile = ({ asset }: { asset: Asset }) => {
  const { uploads } = useSystem()
  const refused = useRefusal('project:manage_releases')
  const input = useRef<HTMLInputElement>(null)
  const send = (file: File) => {
    if (file.size === asset.size) uploads.add([{ file, purpose: 'release_asset', targetId: asset.id }])
    else
      void notify({
        kind: 'error',
        text: `This is another file: ${asset.name} has ${formatBytes(asset.size)}`,
        detail: `${file.name}, ${formatBytes(file.size)}`,
      })
  }
  return (
    <div className={line}>
      <span>
        <strong>{asset.name}</strong> is damaged in the storage, found <DateTime value={asset.damaged_at} />. No device gets this
        release. Upload the same file again, or revoke the release.
      </span>
      {asset.state === 'rejected' && (
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
          if (file) send(file)
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
