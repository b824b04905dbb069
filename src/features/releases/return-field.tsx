import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { returnVersionsQuery } from '../../api/queries/releases'
import { useSystem } from '../../system/system'
import { TextField } from '../../ui/form/text-field'

type Props = {
  /** Name and error of the control, from the form. */
  field: { name: string; error: string | undefined }
  projectId: string
  models: string
  version: string
}

/**
 * Versions that devices may return to. Shows the server's proposal for the models; only a changed list is sent, so that an
 * untouched one is filled when the manifest is built.
 */
export const ReturnField = ({ field, projectId, models, version }: Props) => {
  const { api } = useSystem()
  const [typed, setTyped] = useState<string>()
  const query = returnVersionsQuery(api, projectId, { hardware_models: models, below: version })
  const known = models.trim() !== '' && /^[1-9]\d{0,15}$/.test(version)
  const { data = [] } = useQuery({ ...query, enabled: known, placeholderData: keepPreviousData })
  const { name, ...rest } = field
  return (
    <TextField
      {...rest}
      {...(typed !== undefined && { name })}
      label="May return to"
      mono
      value={typed ?? data.join(', ')}
      onChange={(event) => setTyped(event.target.value)}
      hint="Older versions that a rollback may return to, separated by commas. Signed with the manifest. Leave empty to allow none."
    />
  )
}
