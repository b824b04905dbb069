import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { modelCountsQuery } from '../../api/queries/fleet/model-counts'
import { readCommaList } from '../../lib/comma-list'
import { noteModel } from '../../lib/model-note'
import { useSystem } from '../system'
import { ListField } from '../../ui/form/list-field'

type Props = {
  /** Name and error of the control, from the form. */
  field: { name: string; error: string | undefined }
  projectId: string
  start: string
  hint: string
  onTextChange?: (text: string) => void
}

/** The models that something is for: those of the project and its devices, or typed. */
export const ModelsField = ({ field, projectId, start, hint, onTextChange }: Props) => {
  const { api } = useSystem()
  const [text, setText] = useState(start)
  const { data: models = [] } = useQuery(modelCountsQuery(api, projectId))
  const unknown = models.length === 0 ? [] : readCommaList(text).filter((id) => !models.some((model) => model.id === id))
  return (
    <ListField
      {...field}
      label="Hardware models"
      required
      defaultValue={start}
      onTextChange={(changed) => {
        setText(changed)
        onTextChange?.(changed)
      }}
      suggestions={models.map((model) => ({ value: model.id, note: noteModel(model) }))}
      hint={
        unknown.length === 0 ? hint : `${hint} No device has the model ${unknown.join(', ')}, and the project does not list it.`
      }
    />
  )
}
