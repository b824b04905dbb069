import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { button, link } from 'styled-system/recipes'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { signingKeysQuery } from '../../../api/queries/fleet/keys'
import { every, paces } from '../../../api/refresh'
import { keyDisplay } from '../../../lib/status-display'
import { parseTime } from '../../../lib/dates'
import { groupFingerprint } from '../../../lib/names'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { RefreshFailed } from '../../../system/refresh/refresh-failed'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Status } from '../../../ui/text/chip'
import { CopyButton } from '../../../ui/text/copy-button'
import { Freshness } from '../../../system/refresh/freshness'
import { Icon } from '../../../ui/icon/icon'
import { Panel, PanelBody, PanelRow, PanelSkeletons } from '../../../ui/layout/panel'
import * as Table from '../../../ui/list/table'
import { DateTime, useNow } from '../../../ui/text/time'
import { KeyMenu } from './key-menu'

const KeyCoverage = lazyPart(() => import('./key-dialogs').then((part) => part.KeyCoverageDialog))
const AddKey = lazyPart(() => import('./key-dialogs').then((part) => part.AddKeyDialog))

const narrowOnly = css({ hideFrom: 'md' })
// The text ends in an ellipsis before the button is cut.
const withButton = css({ display: 'flex', alignItems: 'center', '& > span': { overflow: 'hidden', textOverflow: 'ellipsis' } })
const besides = css({ display: 'flex', alignItems: 'center', gap: '8' })

const purposes = { release: 'Releases', secure_boot: 'Secure boot', both: 'Both' } as const

/** How many active devices trust a key, and which do not. */
const Coverage = ({ signingKey }: { signingKey: SigningKey }) => {
  const [open, setOpen] = useState(false)
  const { trusting, total } = signingKey.coverage
  return (
    <>
      <button
        type="button"
        className={link()}
        aria-label={`Trusted by ${trusting} of ${total}: devices without ${signingKey.name}`}
        onClick={() => setOpen(true)}
      >
        {trusting} of {total}
      </button>
      <Suspense>{open && <KeyCoverage signingKey={signingKey} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

const Expiry = ({ at }: { at: string | null }) => {
  const now = useNow()
  if (at !== null && parseTime(at) <= now)
    return (
      <Status shape="warning">
        <DateTime value={at} />, expired
      </Status>
    )
  return <DateTime value={at} never="Never" />
}

type Props = {
  projectId: string
  /** Whether a link asks to add a key, until `onClose`. */
  add: boolean
  onClose: () => void
}

/** Public keys only: the private ones stay where releases are signed. */
export const SigningKeys = ({ projectId, add, onClose }: Props) => {
  const { api } = useSystem()
  const { organizationId = '' } = useParams({ strict: false })
  const params = { organizationId, projectId }
  const refused = useRefusal('project:manage_access')
  const [adding, setAdding] = useState(false)
  const close = () => {
    setAdding(false)
    if (add) onClose()
  }
  const query = useQuery({ ...signingKeysQuery(api, projectId), refetchInterval: every(paces.list) })
  const { data: keys, error, refetch } = query
  return (
    <Panel
      flush
      title="Signing keys"
      aside={
        <span className={besides}>
          <Freshness query={query} />
          <Link
            to="/organizations/$organizationId/projects/$projectId/access/key-rotation"
            params={params}
            className={button({ size: 'small' })}
          >
            Key rotation
          </Link>
          <Button size="small" icon={<Icon name="plus" size={14} />} refused={refused} onClick={() => setAdding(true)}>
            Add key
          </Button>
        </span>
      }
    >
      {!keys &&
        (error ? (
          <PanelBody>
            <FailureBox error={error} onRetry={() => void refetch()} />
          </PanelBody>
        ) : (
          <PanelSkeletons rows={2} />
        ))}
      {keys && <RefreshFailed query={query} />}
      {keys?.length === 0 && <PanelRow>Not Found. Sign releases with a key from this list that your devices trust.</PanelRow>}
      {keys && keys.length > 0 && (
        <Table.Root caption="Signing keys" auto scroll stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Algorithm</Table.Th>
            <Table.Th>Purpose</Table.Th>
            <Table.Th>Fingerprint</Table.Th>
            <Table.Th align="end">Trusted by</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Head>
          <Table.Body>
            {keys.map((key) => {
              const { shape, word } = keyDisplay(key.state)
              return (
                <Table.Row key={key.id} dimmed={key.state !== 'active'}>
                  <Table.Cell at="lead">{key.name}</Table.Cell>
                  <Table.Cell>
                    <Status shape={shape}>{word}</Status>
                  </Table.Cell>
                  <Table.Cell mono quiet>
                    {key.algorithm}
                  </Table.Cell>
                  <Table.Cell quiet>{purposes[key.purpose]}</Table.Cell>
                  <Table.Cell mono at="sub">
                    <span className={withButton}>
                      <span>
                        <span className={narrowOnly}>{word}, </span>
                        <span title={groupFingerprint(key.fingerprint)}>{groupFingerprint(key.fingerprint, 16)}</span>
                      </span>
                      <CopyButton
                        className={css({ ml: '4', my: { base: '-10', md: '0' } })}
                        value={key.fingerprint}
                        label="Copy fingerprint"
                      />
                    </span>
                  </Table.Cell>
                  <Table.Cell align="end" at="subEnd">
                    <span className={narrowOnly}>Trusted by </span>
                    <Coverage signingKey={key} />
                  </Table.Cell>
                  <Table.Cell>
                    <Expiry at={key.expires_at} />
                  </Table.Cell>
                  <Table.Cell>
                    <DateTime value={key.last_used_at} />
                  </Table.Cell>
                  <Table.Cell menu align="end" at="end">
                    {key.state !== 'revoked' && <KeyMenu signingKey={key} projectId={projectId} />}
                  </Table.Cell>
                </Table.Row>
              )
            })}
          </Table.Body>
        </Table.Root>
      )}
      <Suspense>{(adding || (add && refused === undefined)) && <AddKey projectId={projectId} onClose={close} />}</Suspense>
    </Panel>
  )
}
