import { useEffect } from 'react'
import { css } from 'styled-system/css'
import type { Asset } from '../../../contract/updates/release-assets'
import type { Api } from '../../api/client'
import { failureOf } from '../../api/failure'
import { readAssetLink } from '../../api/queries/updates/releases'
import { formatBytes } from '../../lib/bytes'
import { BytesRefused, hashInWorker } from '../../system/hashing/hash-in-worker'
import type { Hashed } from '../../system/hashing/hash-stream'
import { useModal } from '../../system/modals/use-modal'
import { useLongWork } from '../../system/long-work'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { Pairs } from '../../ui/layout/facts'
import { Callout } from '../../ui/layout/notice'
import { Progress } from '../../ui/layout/progress'

const body = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const hash = css({ textStyle: 'mono', overflowWrap: 'anywhere' })

const describe = (error: unknown): string => {
  if (error instanceof BytesRefused && error.status === 410)
    return 'The server does not send the file: its stored bytes differ from the uploaded ones.'
  if (error instanceof BytesRefused) return `The server does not send the file (${error.status}).`
  return failureOf(error)?.message ?? 'The file could not be read to its end. Its hash is not known.'
}

const read = async (
  api: Api,
  { release_id: releaseId, id: assetId }: Asset,
  signal: AbortSignal,
  onSize: (size: number) => void,
) => {
  const { url } = await readAssetLink(api, { releaseId, assetId }, signal)
  return hashInWorker({ url }, { signal, onProgress: onSize })
}

const Result = ({ asset, hashed }: { asset: Asset; hashed: Hashed }) => {
  const same = hashed.sha256 === asset.sha256
  return (
    <>
      {same ? (
        <Callout kind="success">The hash matches: these are the bytes that were uploaded, and that devices verify.</Callout>
      ) : (
        <Callout kind="error">
          The hash differs: this browser received other bytes than were uploaded. Devices refuse them. Check the network and the
          storage of the server, and upload the file again.
        </Callout>
      )}
      <Pairs
        facts={[
          { label: 'Recorded', value: <code className={hash}>{asset.sha256}</code> },
          { label: 'Found', value: <code className={hash}>{hashed.sha256}</code> },
        ]}
      />
    </>
  )
}

/** Reads a file of a release from the server and hashes it in this browser, which trusts no verdict of the server. */
export const CheckHashDialog = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => {
  const { close, root } = useModal('check_hash', onClose)
  const { api } = useSystem()
  const work = useLongWork<number, Hashed>({ run: ({ signal, onProgress }) => read(api, asset, signal, onProgress) })
  const { result: hashed, progress = 0, error, stage, start, cancel } = work
  useEffect(() => start(), [start])
  const size = hashed?.size ?? progress
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={
          <>
            Check hash of <code>{asset.name}</code>
          </>
        }
        description="This browser reads the file from the server and compares its SHA-256 with the recorded one."
        footer={
          stage === 'idle' || stage === 'busy' ? (
            <Button onClick={cancel}>Cancel</Button>
          ) : (
            <>
              <Button onClick={() => start()}>Check again</Button>
              <Button variant="primary" onClick={close}>
                Close
              </Button>
            </>
          )
        }
      >
        <div className={body}>
          <Progress
            label="Hashed bytes"
            value={size / asset.size}
            kind={hashed ? (hashed.sha256 === asset.sha256 ? 'success' : 'error') : 'info'}
          >
            {formatBytes(size)} of {formatBytes(asset.size)}
          </Progress>
          {hashed && <Result asset={asset} hashed={hashed} />}
          {stage === 'cancelled' && <Callout kind="neutral">Cancelled. The hash is not known.</Callout>}
          {stage === 'failed' && <Callout kind="error">{describe(error)}</Callout>}
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
