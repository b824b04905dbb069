import { useState } from 'react'
import { css } from 'styled-system/css'
import { Button } from '../button'
import type { ButtonProps } from '../button'
import { Icon } from '../icon/icon'

type Props = Omit<ButtonProps, 'onClick' | 'value'> & { value: string | (() => string | Promise<string>); label?: string }

const unseen = css({ srOnly: true })

type Outcome = 'idle' | 'copied' | 'refused'

const words = { copied: 'Copied', refused: 'Could not copy' }

/** Copies, and shows the result in its label, also when the browser refuses. */
export const CopyButton = ({ value, label = 'Copy', icon, children, ...rest }: Props) => {
  const [outcome, setOutcome] = useState<Outcome>('idle')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof value === 'string' ? value : await value())
      setOutcome('copied')
    } catch {
      setOutcome('refused')
    }
  }
  const said = outcome === 'idle' ? label : words[outcome]
  return (
    <Button
      variant={children === undefined ? 'ghost' : 'secondary'}
      size="small"
      square={children === undefined}
      data-analytics-name="Copy"
      {...rest}
      aria-label={children === undefined ? said : undefined}
      title={children === undefined ? said : undefined}
      icon={
        outcome === 'idle' && icon !== undefined ? (
          icon
        ) : (
          <Icon name={outcome === 'copied' ? 'check' : outcome === 'refused' ? 'x' : 'copy'} size={14} />
        )
      }
      onClick={() => void copy()}
      onBlur={() => setOutcome('idle')}
      onPointerLeave={() => setOutcome('idle')}
    >
      {children !== undefined && (outcome === 'idle' ? children : words[outcome])}
      <span role="status" className={unseen}>
        {outcome === 'idle' ? '' : words[outcome]}
      </span>
    </Button>
  )
}
