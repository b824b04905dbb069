import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { AccountDeletion, DeletionObstacle } from '../../../contract/accounts/account-deletion'
import { accountDeletionQuery, accountExport } from '../../api/queries/accounts/account-deletion'
import { selfQuery } from '../../api/queries/accounts/self'
import { pluralize } from '../../lib/pluralize'
import { saveFile } from '../../lib/save-file'
import { describeError } from '../../system/failure/describe-error'
import { FailureBox } from '../../system/failure/failure-box'
import { notify } from '../../system/failure/notify'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Panel } from '../../ui/layout/panel'
import { Skeleton } from '../../ui/layout/skeleton'

const DeleteAccountDialog = lazyPart(() => import('./delete-account-dialog').then((part) => part.DeleteAccountDialog))

const stack = css({ display: 'grid', gap: '12' })
const words = css({ color: 'text2' })
const buttons = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })
const obstacleList = css({ display: 'grid', gap: '8', overflowWrap: 'anywhere' })
const first = css({ display: 'grid', gap: '8' })
/** The links stand below the words where there is no room beside them. */
const obstacleLine = css({ display: 'flex', flexWrap: 'wrap', columnGap: '12', rowGap: '4' })

/** What to do about it, and where. */
const Obstacle = ({ kind, id, name }: DeletionObstacle) => {
  if (kind === 'organization' && id !== null)
    return (
      <li className={obstacleLine}>
        <span>You are the only owner of {name}.</span>
        <Link
          to="/account/settings/organizations/list/$organizationId/members"
          params={{ organizationId: id }}
          className={link()}
        >
          Choose another owner
        </Link>
        <Link
          to="/account/settings/organizations/list/$organizationId/summary"
          params={{ organizationId: id }}
          className={link()}
        >
          Delete it
        </Link>
      </li>
    )
  if (kind === 'project' && id !== null)
    return (
      <li className={obstacleLine}>
        <span>{name} is a personal project.</span>
        <Link
          to="/organizations/$organizationId/projects/$projectId/settings/general"
          params={{ organizationId: 'none', projectId: id }}
          className={link()}
        >
          Transfer or delete it
        </Link>
      </li>
    )
  return (
    <li className={obstacleLine}>
      <span>Your subscription goes on.</span>
      <Link to="/account/settings/subscriptions" className={link()}>
        Cancel it
      </Link>
    </li>
  )
}

const Obstacles = ({ obstacles }: Pick<AccountDeletion, 'obstacles'>) => (
  <div className={first}>
    <p>First:</p>
    <ul className={obstacleList}>
      {obstacles.map((obstacle) => (
        <Obstacle key={`${obstacle.kind} ${obstacle.id}`} {...obstacle} />
      ))}
    </ul>
  </div>
)

const noPassword = 'Set a password first, with “Forgot password?” on the sign-in page.'

const refusalOf = ({ obstacles, has_password: hasPassword }: AccountDeletion): string | undefined => {
  if (obstacles.length > 0) return 'Hand over, delete or cancel what is listed first.'
  return hasPassword ? undefined : noPassword
}

const ExportButton = () => {
  const { api } = useSystem()
  const save = useMutation({
    mutationFn: () => accountExport(api),
    onSuccess: (bytes) => saveFile('account.json', bytes, bytes.type),
    onError: (error) => void notify({ kind: 'error', text: describeError(error, 'The download failed') }),
  })
  return (
    <Button busy={save.isPending} busyLabel="Preparing..." onClick={() => save.mutate()}>
      Download my data
    </Button>
  )
}

const Deletion = ({ deletion }: { deletion: AccountDeletion }) => {
  const { api } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const [asked, setAsked] = useState(false)
  const { obstacles, access_tokens: tokens, has_password: hasPassword, second_factor: hasFactor } = deletion
  const refused = refusalOf(deletion)
  return (
    <div className={stack}>
      <p className={words}>
        Your account is deleted at once and cannot be restored. What you made in organizations stays, without your name; their
        audit logs keep what they recorded.
        {tokens > 0 && ` ${pluralize(tokens, 'access token')} of yours ${tokens === 1 ? 'stops' : 'stop'} working.`}
      </p>
      {obstacles.length > 0 && <Obstacles obstacles={obstacles} />}
      {!hasPassword && <p>{noPassword}</p>}
      <div className={buttons}>
        <ExportButton />
        <Button variant="dangerOutline" {...(refused !== undefined && { refused })} onClick={() => setAsked(true)}>
          Delete account
        </Button>
      </div>
      <Suspense>
        {asked && <DeleteAccountDialog email={user.email} hasFactor={hasFactor} onClose={() => setAsked(false)} />}
      </Suspense>
    </div>
  )
}

export const DeletionPanel = () => {
  const { api } = useSystem()
  const { data: deletion, error, refetch } = useQuery({ ...accountDeletionQuery(api), refetchOnMount: 'always' })
  return (
    <Panel title="Delete account">
      {error && !deletion && <FailureBox error={error} onRetry={() => void refetch()} />}
      {!deletion && !error && (
        <div aria-busy className={stack}>
          <Skeleton width="full" />
          <Skeleton width="half" />
        </div>
      )}
      {deletion && <Deletion deletion={deletion} />}
    </Panel>
  )
}
