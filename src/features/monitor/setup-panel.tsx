import { Link, useParams } from '@tanstack/react-router'
import { useId } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Overview } from '../../../contract/overview/monitor'
import { useRefusal } from '../../system/scope/grants'
import { notify } from '../../system/failure/notify'
import { scopeFromPath } from '../../system/scope/scope'
import { useSetupHidden } from '../../system/setup-hidden'
import { Button } from '../../ui/button'
import { Panel, PanelRow } from '../../ui/layout/panel'
import { Shape } from '../../ui/layout/shape'
import { listSetupSteps, type SetupStep } from './setup-steps'

const displays = {
  todo: { shape: 'notreached', label: 'Not started' },
  doing: { shape: 'running', label: 'In progress' },
  done: { shape: 'success', label: 'Done' },
} as const

const row = css({
  display: 'grid',
  gridTemplateColumns: '12px minmax(0, 1fr)',
  columnGap: '8',
  alignItems: 'center',
  w: 'full',
  justifyItems: 'start',
})
const note = css({ gridColumn: '2', textStyle: 'small', color: 'muted' })
const quiet = css({ color: 'muted' })
const refusedLink = cx(link(), css({ color: 'muted', cursor: 'not-allowed' }))

const Step = ({ step: { title, state, note: text, to, search, needs } }: { step: SetupStep }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const refusal = useRefusal(needs)
  const reason = useId()
  const { shape, label } = displays[state]
  return (
    <PanelRow>
      <span className={row}>
        <Shape name={shape} label={label} />
        {state === 'done' ? (
          <span className={quiet}>{title}</span>
        ) : refusal === undefined ? (
          <Link to={to} params={{ organizationId, projectId }} {...(search && { search })} className={link()}>
            {title}
          </Link>
        ) : (
          <button type="button" className={refusedLink} aria-disabled aria-describedby={reason}>
            {title}
          </button>
        )}
        {state !== 'done' && <span className={note}>{text}</span>}
        {state !== 'done' && refusal !== undefined && (
          <span id={reason} className={note}>
            {refusal}
          </span>
        )}
      </span>
    </PanelRow>
  )
}

type Facts = Pick<Overview, 'counts' | 'setup'>

const OpenSteps = ({ facts, onHide }: { facts: Facts; onHide: () => void }) => {
  const { organizationId = '' } = useParams({ strict: false })
  const steps = listSetupSteps(facts, scopeFromPath(organizationId) === null)
  const done = steps.filter(({ state }) => state === 'done').length
  if (done === steps.length) return null
  return (
    <Panel
      flush
      title="Set up this project"
      aside={
        <>
          <span>
            {done} of {steps.length} done
          </span>
          <Button size="small" variant="ghost" aria-label="Hide setup steps" onClick={onHide}>
            Hide
          </Button>
        </>
      }
    >
      {steps.map((step) => (
        <Step key={step.title} step={step} />
      ))}
    </Panel>
  )
}

/** The steps from a new project to its first completed rollout; gone when all are done. They follow from data alone. */
export const SetupPanel = ({ facts }: { facts: Facts }) => {
  const { projectId = '' } = useParams({ strict: false })
  const { hidden, setHidden } = useSetupHidden(projectId)
  if (hidden !== false) return null
  const hide = () => {
    setHidden(true)
    const undo = { label: 'Undo', onClick: () => setHidden(false) }
    void notify({ kind: 'info', text: 'Setup steps hidden in this browser', action: undo })
  }
  return <OpenSteps facts={facts} onHide={hide} />
}
