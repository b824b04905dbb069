import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { is, integer, type } from 'superstruct'
import { Tag } from '../../../contract/fleet/tags'
import { deleteTagMutation } from '../../api/mutations/fleet/tags'
import { failureOf } from '../../api/failure'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Checkbox } from '../../ui/form/choice'
import { Callout } from '../../ui/layout/notice'
import { describeUsage, usageOf } from './tag-usage'

const InUse = type({ devices: integer(), rollouts: integer(), enrollment_tokens: integer() })
const Stale = type({ current: Tag })

type Props = { tag: Tag; onClose: () => void; onDeleted: () => void }

/** Deleting a tag in use shows how many objects use it and requires a confirmation. */
export const DeleteTagDialog = ({ tag, onClose, onDeleted }: Props) => {
  const { api } = useSystem()
  const modal = useModal('delete_tag', onClose)
  const { projectId = '' } = useParams({ strict: false })
  const remove = useMutation(deleteTagMutation(api, projectId))
  const [force, setForce] = useState(false)
  // Kept after other refusals: they do not contain the tag.
  const [current, setCurrent] = useState<Tag>()
  const failure = failureOf(remove.error)
  const told = failure?.code === 'in_use' && is(failure.about, InUse) ? failure.about : undefined
  const latest = current && current.revision > tag.revision ? current : tag
  const usage = told ?? usageOf(latest)
  const used = describeUsage(usage)
  const confirm = async () => {
    try {
      await remove.mutateAsync({ tag: latest, force })
    } catch (error) {
      const refusal = failureOf(error)
      if (refusal?.code === 'stale_revision' && is(refusal.about, Stale)) setCurrent(refusal.about.current)
      return
    }
    onDeleted()
  }
  return (
    <AskDialog
      modal={modal}
      title={
        <>
          Delete <code>{latest.name}</code>?
        </>
      }
      text={used === undefined ? 'Not used by any device, open rollout or enrollment token.' : `${used}.`}
      verb="Delete tag"
      busyVerb="Deleting..."
      ready={used === undefined || force}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => void confirm()}
    >
      {used !== undefined && (
        <Checkbox checked={force} onChange={(event) => setForce(event.target.checked)}>
          Remove from all and delete
        </Checkbox>
      )}
      {usage.rollouts > 0 && (
        <Callout kind="warning">No more devices join a rollout that leaves devices out by this tag.</Callout>
      )}
    </AskDialog>
  )
}
