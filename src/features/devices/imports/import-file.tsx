import { useMutation } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { importLimits } from '../../../../contract/fleet/device-imports'
import { clientOf } from '../../../../contract/fleet/hardware-models'
import { product } from '../../../../contract/core/limits'
import type { Project } from '../../../../contract/accounts/projects'
import { failureOf } from '../../../api/failure'
import { importDevicesMutation } from '../../../api/mutations/fleet/device-imports'
import { formatCount } from '../../../lib/amounts'
import { formatBytes } from '../../../lib/bytes'
import { pluralize } from '../../../lib/pluralize'
import { ChangeFailure } from '../../../system/failure/change-failure'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { SegmentField } from '../../../ui/form/choice-field'
import { FileField } from '../../../ui/form/file-field'
import { TextareaField, TextField } from '../../../ui/form/text-field'
import { Callout } from '../../../ui/layout/notice'
import { Panel } from '../../../ui/layout/panel'
import { Progress } from '../../../ui/layout/progress'
import { Skeleton } from '../../../ui/layout/skeleton'
import { useNow } from '../../../ui/text/time'
import { ImportSummary } from './import-summary'

const ModelSelect = lazyPart(() => import('../form/model-select').then((part) => part.ModelSelect))

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
// Always there, so that what appears in it is announced; without the gap while it is empty.
const answer = css({ _empty: { mt: '-16' } })
const buttons = css({ display: 'flex', gap: '8', flexWrap: 'wrap', alignItems: 'center' })
const limitText = `CSV or NDJSON, up to ${formatCount(importLimits.lines)} devices.`

/** The first character tells the form of a file: NDJSON begins with an object. */
const toRows = async (source: Blob): Promise<Blob> => {
  const start = await source.slice(0, 64).text()
  return new Blob([source], { type: start.trimStart().startsWith('{') ? 'application/x-ndjson' : 'text/csv' })
}

// One request imports all devices or none, so there is no part that is done before the end.
const Elapsed = ({ since }: { since: number }) => <>{Math.max(0, Math.floor((useNow().getTime() - since) / 1000))} s so far</>

/** A file is checked first; what was checked is imported, and every change asks for another check. */
export const ImportFile = ({ project }: { project: Project }) => {
  const { api } = useSystem()
  const { organizationId = '' } = useParams({ strict: false })
  const refused = useRefusal('project:manage_devices', 'project:manage_access')
  const models = project.settings.hardware_models
  const [from, setFrom] = useState<'file' | 'text'>('file')
  const [file, setFile] = useState<File>()
  const [text, setText] = useState('')
  const [model, setModel] = useState(models[0]?.id ?? '')
  const [isCancelled, setCancelled] = useState(false)
  const ending = useRef<AbortController>(undefined)
  const check = useMutation(importDevicesMutation(api, project.id))
  const run = useMutation(importDevicesMutation(api, project.id))
  const busy = check.isPending || run.isPending
  const source = from === 'file' ? file : text.trim() === '' ? undefined : new Blob([text])

  const begin = () => {
    check.reset()
    run.reset()
    setCancelled(false)
  }
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      begin()
    }
  const send = async (mutation: typeof check, dry_run: boolean) => {
    if (!source) return
    setCancelled(false)
    // The result of an earlier import would stay in the place of that of the check.
    if (dry_run) run.reset()
    const controller = new AbortController()
    ending.current = controller
    const query = {
      dry_run,
      ...(model.trim() !== '' && { hardware_model: model.trim() }),
      ...(from === 'file' && file && { file_name: file.name.slice(0, 200) }),
    }
    mutation.mutate({ rows: await toRows(source), query, signal: controller.signal })
  }
  const cancel = () => {
    ending.current?.abort()
    setCancelled(run.isPending)
    if (check.isPending) check.reset()
    run.reset()
  }
  const checked = check.data
  const done = run.data
  const status = failureOf(run.error)?.status
  const isUnknown = status !== undefined && (status === 0 || status >= 500)
  return (
    <Panel title="File">
      <div className={stack}>
        <p>
          Devices keep their controller id and token, and find this server when the address of the former one changes. On the
          former hawkBit server, <code>node teasel-agent.mjs hawkbit-export</code> writes the file.
        </p>
        <SegmentField
          label="Source"
          items={[
            { value: 'file', label: 'File' },
            { value: 'text', label: 'Paste' },
          ]}
          value={from}
          onValueChange={change((value: typeof from) => {
            setFrom(value)
            setFile(undefined)
          })}
        />
        {from === 'file' ? (
          <FileField
            label="File"
            required
            accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
            limitText={limitText}
            disabled={busy}
            onFilesChange={([chosen]) => change(setFile)(chosen)}
          />
        ) : (
          <TextareaField
            label="Lines"
            required
            mono
            rows={8}
            spellCheck={false}
            value={text}
            disabled={busy}
            placeholder={'controller_id,name,security_token\ncam-0417,Camera 417,9bf1...'}
            hint={limitText}
            onChange={(event) => change(setText)(event.target.value)}
          />
        )}
        {models.length === 0 ? (
          <TextField
            label="Hardware model"
            mono
            spellCheck={false}
            value={model}
            hint="Of lines that name none."
            onChange={(event) => change(setModel)(event.target.value)}
          />
        ) : (
          <Suspense fallback={<Skeleton height="control" />}>
            <ModelSelect
              name="hardware_model"
              error={undefined}
              models={models}
              hint="Of lines that name none."
              onValueChange={change(setModel)}
            />
          </Suspense>
        )}
        {models.length > 0 && clientOf(models, model).kind === product.slug && (
          <Callout kind="warning">
            The hardware model {model} is set to the agent. Choose the client of these devices in the settings of the project
            before their first rollout.
          </Callout>
        )}
        <div className={buttons}>
          <Button
            variant={checked ? 'secondary' : 'primary'}
            refused={refused}
            disabled={!source || busy}
            busy={check.isPending}
            busyLabel="Checking..."
            onClick={() => void send(check, true)}
          >
            Check
          </Button>
          {checked && !done && checked.created > 0 && (
            <Button
              variant="primary"
              refused={refused}
              busy={run.isPending}
              busyLabel="Importing..."
              onClick={() => void send(run, false)}
            >
              Import {pluralize(checked.created, 'device')}
            </Button>
          )}
          {busy && <Button onClick={cancel}>Cancel</Button>}
        </div>
        {busy && (
          <Progress label={run.isPending ? 'Import of devices' : 'Check of the file'}>
            {run.isPending && checked ? (
              <>
                Importing {pluralize(checked.created, 'device')}: <Elapsed since={run.submittedAt} />. Thousands take some
                seconds.
              </>
            ) : (
              <>
                Checking {formatBytes(source?.size ?? 0)}: <Elapsed since={check.submittedAt} />. Nothing is changed.
              </>
            )}
          </Progress>
        )}
        <div role="status" className={cx(stack, answer)}>
          {(isCancelled || isUnknown) && (
            <Callout kind="warning">
              {isCancelled ? 'The import was cancelled.' : 'The result of the import is not known.'} If the server had not
              finished, it imported nothing; otherwise the import is in the list below, where it can be undone. Importing the file
              again changes no device twice.
            </Callout>
          )}
          {done && (
            <Callout kind="success">
              {pluralize(done.created, 'device')} imported.{' '}
              {done.import_id !== null && (
                <Link
                  className={link()}
                  to="/organizations/$organizationId/projects/$projectId/devices/list"
                  params={{ organizationId, projectId: project.id }}
                  search={{ import_id: done.import_id }}
                >
                  Show them
                </Link>
              )}
            </Callout>
          )}
          {(done ?? checked) && <ImportSummary result={done ?? checked} />}
        </div>
        {check.error && (
          <FailureBox error={check.error} unanswered="Nothing was changed.">
            The file was not checked. Nothing was changed.
          </FailureBox>
        )}
        {run.error && (
          <ChangeFailure error={run.error} unanswered="Its result is not known.">
            {isUnknown ? 'Its result is not known.' : 'Nothing was imported.'}
          </ChangeFailure>
        )}
      </div>
    </Panel>
  )
}
