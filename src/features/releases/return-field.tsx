import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { returnVersionsQuery } from '../../api/queries/updates/releases'
import { noteDevices } from '../../lib/model-note'
import { useSystem } from '../../system/system'
import { ListField } from '../../ui/form/list-field'

type Props = {
  /** Name and error of the control, from the form. */
  field: { name: string; error: string | undefined }
  projectId: string
  models: string
  version: string
  /** The list that a person wrote before. */
  start?: string | undefined
}

/**
 * Versions that devices may return to. Shows the server's proposal for the models; only a changed list is sent, so that an
 * untouched one is filled when the manifest is built.
 */
export const ReturnField = ({ field, projectId, models, version, start }: Props) => {
  const { api } = useSystem()
  const [typed, setTyped] = useState(start)
  const query = returnVersionsQuery(api, projectId, { hardware_models: models, below: version })
  const known = models.trim() !== '' && /^[1-9]\d{0,15}$/.test(version)
  const { data } = useQuery({ ...query, enabled: known, placeholderData: keepPreviousData })
  const { versions = [], releases = [] } = data ?? {}
  const { name, ...rest } = field
  return (
    <ListField
      {...rest}
      {...(typed !== undefined && { name })}
      label="May return to"
      value={typed ?? versions.join(', ')}
      onTextChange={setTyped}
      suggestions={versions.map((number) => {
        const release = releases.find((one) => one.version === number)
        return { value: String(number), note: release ? noteDevices(release.display_version, release.devices) : 'not a release' }
      })}
      hint="Older versions that a rollback may return to, separated by commas. Unchanged, it is filled when the manifest is built. Emptied, it allows none."
    />
  )
}
