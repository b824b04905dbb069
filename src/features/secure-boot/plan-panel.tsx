import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { testKeyPhrase } from '../../../contract/updates/secure-boot/fuse-plan'
import type { FuseDifference } from '../../../contract/updates/secure-boot/fuses'
import { fusePlanQuery, type PlanQuestion } from '../../api/queries/updates/fuse-plan'
import { every, paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure/failure-box'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { TextField } from '../../ui/form/text-field'
import { Icon } from '../../ui/icon/icon'
import { Callout } from '../../ui/layout/notice'
import { Panel, PanelBody, PanelSkeletons } from '../../ui/layout/panel'
import * as Table from '../../ui/list/table'
import { type ChosenDevice, DeviceChoice } from './device-choice'
import { changeDisplay, planSummary } from './fuse-text'
import { PlanSheet } from './plan-sheet'
import { PlanSteps } from './plan-steps'

const StepChart = lazyPart(() => import('./step-chart').then((part) => part.StepChart))
const ScriptDialog = lazyPart(() => import('./script-dialog').then((part) => part.ScriptDialog))

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })
const narrow = css({ maxW: '400' })
const value = css({ overflowWrap: 'anywhere' })

const Differences = ({ differences }: { differences: readonly FuseDifference[] }) => (
  <Table.Root caption="Reported and planned values" scroll stack>
    <Table.Head>
      <Table.Th>Value</Table.Th>
      <Table.Th>Reported</Table.Th>
      <Table.Th>Planned</Table.Th>
      <Table.Th className={css({ w: '160' })}>Change</Table.Th>
    </Table.Head>
    <Table.Body>
      {differences.map(({ field, reported, planned, change, irreversible }) => {
        const { shape, word } = changeDisplay(change)
        return (
          <Table.Row key={field}>
            <Table.Cell at="lead" wrap>
              {field}
            </Table.Cell>
            <Table.Cell mono quiet wrap at="sub" className={value}>
              {reported ?? '–'}
            </Table.Cell>
            <Table.Cell mono wrap at="subEnd" className={value}>
              {planned ?? '–'}
            </Table.Cell>
            <Table.Cell at="end">
              <Status shape={shape}>{change === 'write' && irreversible ? 'Written for good' : word}</Status>
            </Table.Cell>
          </Table.Row>
        )
      })}
    </Table.Body>
  </Table.Root>
)

/** The ordered steps that write the bundle into a part, compared with a device or a blank part. */
export const PlanPanel = ({ bundle }: { bundle: SecureBootBundle }) => {
  const { api } = useSystem()
  const refused = useRefusal('project:update')
  const [device, setDevice] = useState<ChosenDevice>()
  const [phrase, setPhrase] = useState('')
  const [asking, setAsking] = useState(false)
  const [charted, setCharted] = useState(false)
  const overridden = phrase.trim() === testKeyPhrase
  const question: PlanQuestion = {
    ...(device ? { device_id: device.id } : { assume: 'blank' }),
    ...(overridden && { test_keys: testKeyPhrase }),
  }
  const {
    data: plan,
    error,
    refetch,
    isPlaceholderData,
  } = useQuery({
    ...fusePlanQuery(api, bundle, question),
    placeholderData: keepPreviousData,
    // A device may report meanwhile.
    refetchInterval: every(paces.fleet),
  })
  const hasTestKey = overridden || plan?.refusals.some(({ code }) => code === 'test_key')
  // The previous plan is of another device or revision: it stays in sight, and is neither printed nor downloaded.
  const isPrintable = plan !== undefined && !isPlaceholderData && plan.plan.length > 0
  const isRunnable = isPrintable && plan.refusals.length === 0
  return (
    <Panel
      flush
      title="Fuse plan"
      aside={
        plan && (
          <>
            {planSummary(plan.plan.length, plan.irreversible_count)}
            {isPrintable && (
              <Button size="small" icon={<Icon name="doc" size={14} />} onClick={() => window.print()}>
                Print plan
              </Button>
            )}
            <Button
              size="small"
              icon={<Icon name="dl" size={14} />}
              {...(refused !== undefined && { refused })}
              disabled={!isRunnable}
              onClick={() => setAsking(true)}
            >
              Download script
            </Button>
          </>
        )
      }
    >
      <PanelBody>
        <div className={stack}>
          <DeviceChoice projectId={bundle.project_id} device={device} onChoose={setDevice} />
          {plan?.refusals.map(({ code, text }) => (
            <Callout key={code} kind="error">
              {text}
            </Callout>
          ))}
          {hasTestKey && (
            <div className={narrow}>
              <TextField
                label={`Type “${testKeyPhrase}” to plan with a published test key`}
                value={phrase}
                autoComplete="off"
                onChange={(event) => setPhrase(event.target.value)}
                hint="Anyone can sign for such a part. Never for a product."
              />
            </div>
          )}
        </div>
      </PanelBody>
      {!plan && (error ? <FailureBox error={error} onRetry={() => void refetch()} /> : <PanelSkeletons rows={4} />)}
      {plan && plan.diff.length > 0 && <Differences differences={plan.diff} />}
      {plan && plan.recovery !== '' && (
        <PanelBody>
          <Callout kind="info">{plan.recovery}</Callout>
        </PanelBody>
      )}
      {plan && plan.plan.length > 0 && (
        <PanelBody>
          <Button size="small" aria-expanded={charted} onClick={() => setCharted(!charted)}>
            {charted ? 'Hide step chart' : 'Show step chart'}
          </Button>
        </PanelBody>
      )}
      {plan && charted && (
        <Suspense fallback={<PanelSkeletons rows={4} />}>
          <StepChart steps={plan.plan} />
        </Suspense>
      )}
      {plan && <PlanSteps steps={plan.plan} />}
      {isPrintable && <PlanSheet bundle={bundle} plan={plan} device={device?.name} />}
      {asking && plan && (
        <Suspense>
          <ScriptDialog bundle={bundle} plan={plan} question={question} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </Panel>
  )
}
