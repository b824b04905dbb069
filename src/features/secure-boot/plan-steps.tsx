import { css } from 'styled-system/css'
import type { PlanStep } from '../../../contract/updates/secure-boot/fuses'
import { Chip, Status } from '../../ui/text/chip'
import { Code } from '../../ui/text/code'
import { Icon } from '../../ui/icon/icon'
import { stepDisplay } from './fuse-text'

const list = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)' })
const item = css({
  display: 'grid',
  gridTemplateColumns: '{sizes.24} minmax(0, 1fr)',
  columnGap: '8',
  rowGap: '8',
  px: '16',
  py: '12',
  borderTop: 'line',
  // Irreversible steps have a mark of their own: an edge, a lock and a word.
  '&[data-final]': { borderLeft: '[4px solid {colors.error}]', bg: 'error.bg', pl: '12' },
})
const number = css({ textStyle: 'strong', textAlign: 'right', color: 'muted', '[data-final] > &': { color: 'error.text' } })
const head = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8' })
const title = css({ textStyle: 'strong', overflowWrap: 'anywhere' })
const body = css({ gridColumn: '2', display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)' })
const caption = css({ textStyle: 'caption', color: 'text2' })
const words = css({ overflowWrap: 'anywhere', whiteSpace: 'pre-line' })
const expected = css({ textStyle: 'small', '& code': { textStyle: 'mono', overflowWrap: 'anywhere' } })

const Command = ({ label, code }: { label: string; code: string }) => (
  <div>
    <span className={caption}>{label}</span>
    <Code code={code} label={label} />
  </div>
)

const Step = ({ step }: { step: PlanStep }) => {
  const { shape, word } = stepDisplay(step.state)
  return (
    <li className={item} data-final={!step.reversible || undefined}>
      <span className={number}>{step.n}</span>
      <div className={head}>
        <span className={title}>{step.title}</span>
        {!step.reversible && (
          <>
            <Icon name="lock" size={14} />
            <Chip shape="error">Cannot be undone</Chip>
          </>
        )}
        <Status shape={shape}>{word}</Status>
      </div>
      <div className={body}>
        <p className={words}>{step.text}</p>
        {step.command !== null && <Command label={`Command of step ${step.n}`} code={step.command} />}
        {step.verify_command !== null && <Command label={`Verify step ${step.n}`} code={step.verify_command} />}
        {step.expected !== null && (
          <p className={expected}>
            Expected: <code>{step.expected}</code>
          </p>
        )}
        {step.phrase !== null && (
          <p className={expected}>
            The script asks for: <code>{step.phrase}</code>
          </p>
        )}
      </div>
    </li>
  )
}

/** The steps in the order in which they must be done. */
export const PlanSteps = ({ steps }: { steps: readonly PlanStep[] }) => (
  <ol className={list} aria-label="Steps of the fuse plan">
    {steps.map((step) => (
      <Step key={step.n} step={step} />
    ))}
  </ol>
)
