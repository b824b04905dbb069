import { useState } from 'react'
import type { InputProps } from './input'
import { IconButton } from '../icon/icon-button'
import type { FieldProps } from './field'
import { TextField } from './text-field'

type Props = FieldProps &
  Omit<InputProps, 'type' | 'end' | 'autoComplete'> & { autoComplete: 'current-password' | 'new-password' }

/** A password with a show button, instead of a second input. */
export const PasswordField = (props: Props) => {
  const [shown, setShown] = useState(false)
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      end={
        <IconButton
          icon="eye"
          label={shown ? 'Hide password' : 'Show password'}
          size="small"
          variant="ghost"
          hint={false}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        />
      }
    />
  )
}
