import { useState } from 'react'
import { dropZone } from 'styled-system/recipes'
import { useField } from './use-field'

type Props = {
  onFiles: (files: File[]) => void
  multiple?: boolean | undefined
  accept?: string
  name?: string
  limitText?: string
  disabled?: boolean
  label?: string
}

/** The native file control over a dashed box: dropping, clicking, Enter and assistive technology all use the same input. */
export const DropZone = ({ onFiles, multiple, accept, name, limitText, disabled, label }: Props) => {
  const { labelId: _, ...control } = useField() ?? { labelId: '' }
  const [over, setOver] = useState(false)
  const classes = dropZone()
  const noun = multiple ? 'files' : 'a file'
  return (
    <div
      className={classes.zone}
      data-over={over || undefined}
      onDragEnter={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onDrop={() => setOver(false)}
    >
      <span>
        {multiple ? 'Drop files' : 'Drop a file'} here, or <span className={classes.choose}>choose {noun}</span>.
      </span>
      {limitText !== undefined && <span>{limitText}</span>}
      <input
        type="file"
        className={classes.input}
        {...control}
        aria-label={label}
        name={name}
        accept={accept}
        multiple={multiple}
        disabled={disabled}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          // The same file can be selected again after it was removed.
          if (name === undefined) event.target.value = ''
        }}
      />
    </div>
  )
}
