import { useState } from 'react'
import { formatBytes } from '../../lib/bytes'
import { DropZone } from './drop-zone'
import { Icon } from '../icon/icon'
import { IconButton } from '../icon/icon-button'
import { Field } from './field'
import type { FieldProps } from './field'
import { dropZone } from 'styled-system/recipes'

type Props = FieldProps & {
  name?: string
  accept?: string
  multiple?: boolean
  /** Shown in the zone: "One file can have up to 3.5 GB." */
  limitText?: string
  disabled?: boolean
  onFilesChange?: (files: File[]) => void
}

/** A drop zone in a form: the selected files are listed under it, each with its size and a remove button. */
export const FileField = ({ label, required, hint, info, error, onFilesChange, multiple, ...rest }: Props) => {
  const [files, setFiles] = useState<File[]>([])
  const classes = dropZone()
  const change = (next: File[]) => {
    setFiles(next)
    onFilesChange?.(next)
  }
  return (
    <Field label={label} required={required} hint={hint} info={info} error={error}>
      <DropZone {...rest} multiple={multiple} onFiles={(added) => change(multiple ? [...files, ...added] : added.slice(0, 1))} />
      {files.length > 0 && (
        <ul className={classes.list}>
          {files.map((file, index) => (
            <li key={`${file.name}:${index}`} className={classes.file}>
              <Icon name="doc" />
              <code>{file.name}</code>
              <span className={classes.size}>{formatBytes(file.size)}</span>
              <IconButton
                icon="x"
                label={`Remove ${file.name}`}
                data-analytics-name="Remove file"
                size="small"
                variant="ghost"
                hint={false}
                onClick={() => change(files.filter((_, other) => other !== index))}
              />
            </li>
          ))}
        </ul>
      )}
    </Field>
  )
}
