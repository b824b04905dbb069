import { Suspense, useState } from 'react'
import { css, cx } from 'styled-system/css'
import type { Artifact } from '../../../contract/updates/secure-boot/artifacts'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { formatBytes } from '../../lib/bytes'
import { groupFingerprint } from '../../lib/names'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { CopyButton } from '../../ui/text/copy-button'
import { Icon } from '../../ui/icon/icon'
import { IconButton } from '../../ui/icon/icon-button'
import { Panel, PanelBody } from '../../ui/layout/panel'
import { Skeleton } from '../../ui/layout/skeleton'
import * as Table from '../../ui/list/table'
import { artifactDisplay, isEditable, roleLabels } from './bundle-display'

const AddParts = lazyPart(() => import('./add-parts').then((part) => part.AddParts))
const RemovePartDialog = lazyPart(() => import('./remove-part-dialog').then((part) => part.RemovePartDialog))

const roomyOnly = css({ hideBelow: 'lg' })
const facts = css({ display: 'grid', gap: '2', pb: '4', textStyle: 'small', color: 'text2' })
const fact = css({ overflowWrap: 'anywhere', '& code': { textStyle: 'monoSmall', color: 'text' } })
const quiet = css({ color: 'muted' })
const name = css({ textStyle: 'mono', overflowWrap: 'anywhere' })

/** What the checks read from the bytes, each with its place. */
const Facts = ({ part: { parsed, signature } }: { part: Artifact }) => (
  <div className={facts}>
    {parsed ? <span className={fact}>{parsed.format}</span> : <span className={quiet}>Not read yet</span>}
    {parsed?.facts.map(({ name, value, offset }) => (
      <span key={`${name}:${offset}`} className={fact}>
        {name}: <code>{value}</code>
        {offset !== null && <span className={quiet}> at 0x{offset.toString(16)}</span>}
      </span>
    ))}
    {signature && (
      <Status shape={signature.verified ? 'success' : 'warning'}>
        {signature.algorithm}: {signature.verified ? 'verified' : 'not verified'}
      </Status>
    )}
  </div>
)

const PartRow = ({ part, editable }: { part: Artifact; editable: boolean }) => {
  const [removing, setRemoving] = useState(false)
  const refused = useRefusal('project:update')
  const { shape, word } = artifactDisplay(part.state)
  return (
    <Table.Row>
      <Table.Cell at="lead" wrap>
        <code className={name}>{part.file_name}</code>
        {part.reject_reason === null ? <Facts part={part} /> : <p className={facts}>{part.reject_reason}</p>}
      </Table.Cell>
      <Table.Cell wrap at="subEnd">
        {roleLabels[part.role]}
      </Table.Cell>
      <Table.Cell wrap at="sub">
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell mono quiet className={roomyOnly}>
        {part.sha256 === null ? (
          '–'
        ) : (
          <>
            <span title={groupFingerprint(part.sha256)}>{groupFingerprint(part.sha256, 8)}</span>
            <CopyButton value={part.sha256} label={`Copy SHA-256 of ${part.file_name}`} />
          </>
        )}
      </Table.Cell>
      <Table.Cell align="end" className={roomyOnly}>
        {formatBytes(part.size)}
      </Table.Cell>
      <Table.Cell menu align="end" at="end">
        {editable && (
          <IconButton
            icon="x"
            align="end"
            label={`Remove ${part.file_name}`}
            data-analytics-name="Remove part"
            variant="ghost"
            size="small"
            {...(refused !== undefined && { refused })}
            onClick={() => setRemoving(true)}
          />
        )}
        {removing && (
          <Suspense>
            <RemovePartDialog part={part} onClose={() => setRemoving(false)} />
          </Suspense>
        )}
      </Table.Cell>
    </Table.Row>
  )
}

/** The files of a bundle: role, state, hash and what was read from them; more are added while the bundle can change. */
export const PartsPanel = ({ bundle }: { bundle: SecureBootBundle }) => {
  const editable = isEditable(bundle.state)
  const refused = useRefusal('project:update')
  return (
    <Panel flush title="Parts" aside={String(bundle.artifacts.length)}>
      {bundle.artifacts.length === 0 ? (
        <PanelBody>
          <span className={quiet}>No file yet.</span>
        </PanelBody>
      ) : (
        <Table.Root caption="Parts" scroll stack>
          <Table.Head>
            <Table.Th>File</Table.Th>
            <Table.Th className={css({ w: '120' })}>Role</Table.Th>
            <Table.Th className={css({ w: '112' })}>State</Table.Th>
            <Table.Th className={cx(css({ w: '136' }), roomyOnly)}>SHA-256</Table.Th>
            <Table.Th align="end" className={cx(css({ w: '80' }), roomyOnly)}>
              Size
            </Table.Th>
            <Table.Th className={css({ w: '44' })} aria-label="Actions" />
          </Table.Head>
          <Table.Body>
            {bundle.artifacts.map((part) => (
              <PartRow key={part.id} part={part} editable={editable} />
            ))}
          </Table.Body>
        </Table.Root>
      )}
      {editable && (
        <PanelBody>
          {refused === undefined ? (
            <Suspense fallback={<Skeleton height="control" />}>
              <AddParts bundle={bundle} />
            </Suspense>
          ) : (
            <Button icon={<Icon name="plus" />} refused={refused}>
              Add parts
            </Button>
          )}
        </PanelBody>
      )}
    </Panel>
  )
}
