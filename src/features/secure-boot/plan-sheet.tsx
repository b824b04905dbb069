import { createPortal } from 'react-dom'
import { css } from 'styled-system/css'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import type { FusePlan, PlanStep } from '../../../contract/updates/secure-boot/fuses'
import { DateTime, useNow } from '../../ui/text/time'
import { platformLabels } from './bundle-display'
import { planSummary } from './fuse-text'

const sheet = css({
  display: 'none',
  // Paper is white in both themes.
  color: '[black]',
  _print: { display: 'block' },
  // Everything else in the body. Panda takes only selectors that begin with itself: the first one matches nothing.
  '&:not(*), body:has(> &) > :not(&)': { _print: { display: 'none' } },
  '& h1': { textStyle: 'title' },
  '& code, & pre': { fontFamily: 'mono', fontSize: '[9pt]', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
})
const facts = css({ display: 'grid', gridTemplateColumns: '{sizes.136} minmax(0, 1fr)', columnGap: '12', my: '12' })
const list = css({ display: 'grid', gap: '12', my: '16', listStyle: 'none', p: '0' })
const item = css({
  display: 'grid',
  gap: '4',
  gridTemplateColumns: 'minmax(0, 1fr)',
  p: '8',
  border: '[1px solid black]',
  breakInside: 'avoid',
  '&[data-final]': { border: '[3px double black]' },
})
const title = css({ textStyle: 'heading', color: '[black]' })
const done = css({ display: 'flex', justifyContent: 'space-between', mt: '4' })

const Line = ({ label, children }: { label: string; children: string }) => (
  <div>
    {label}
    <pre>{children}</pre>
  </div>
)

const Step = ({ step }: { step: PlanStep }) => (
  <li className={item} data-final={!step.reversible || undefined}>
    <h2 className={title}>
      {step.n}. {step.title}
    </h2>
    {!step.reversible && <strong>CANNOT BE UNDONE</strong>}
    <p>{step.text}</p>
    {step.command !== null && <Line label="Command">{step.command}</Line>}
    {step.verify_command !== null && <Line label="Verify with">{step.verify_command}</Line>}
    {step.expected !== null && <Line label="Expected">{step.expected}</Line>}
    <div className={done}>
      <span>☐ Done and verified</span>
      <span>Name, time: ______________________________</span>
    </div>
  </li>
)

const Now = () => <DateTime value={useNow()} />

type Props = { bundle: SecureBootBundle; plan: FusePlan; device: string | undefined }

/** The plan on paper, in place of the page: the only thing that is printed. Black on white in both themes. */
export const PlanSheet = ({ bundle, plan, device }: Props) =>
  createPortal(
    <div className={sheet} data-sheet>
      <h1>Fuse plan: {bundle.name}</h1>
      <p>
        {planSummary(plan.plan.length, plan.irreversible_count)}. Do the steps in this order. Stop at the first value that
        differs.
      </p>
      <dl className={facts}>
        <dt>Bundle</dt>
        <dd>
          Version {bundle.version}, revision {bundle.revision}, {bundle.state}
        </dd>
        <dt>Platform</dt>
        <dd>{platformLabels[bundle.platform]}</dd>
        <dt>Models</dt>
        <dd>{bundle.hardware_models.join(', ')}</dd>
        <dt>Rollback version</dt>
        <dd>{bundle.rollback_version}</dd>
        <dt>Key hash</dt>
        <dd>
          <code>{bundle.key_hash ?? 'none'}</code>
        </dd>
        <dt>For</dt>
        <dd>{device === undefined ? 'a blank part' : `device ${device}`}</dd>
        <dt>Printed</dt>
        <dd>
          <Now />
        </dd>
        <dt>Board serial</dt>
        <dd>______________________________</dd>
      </dl>
      {plan.refusals.map(({ code, text }) => (
        <p key={code}>
          <strong>Do not run: {text}</strong>
        </p>
      ))}
      <p>{plan.recovery}</p>
      <ol className={list}>
        {plan.plan.map((step) => (
          <Step key={step.n} step={step} />
        ))}
      </ol>
    </div>,
    document.body,
  )
