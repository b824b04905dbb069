import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { importLimits } from '../../../../contract/fleet/device-imports'
import { clientOf } from '../../../../contract/fleet/hardware-models'
import { product } from '../../../../contract/core/limits'
import type { Project } from '../../../../contract/accounts/projects'
import { formatCount } from '../../../lib/amounts'
import { formatBytes } from '../../../lib/bytes'
import { pluralize } from '../../../lib/pluralize'
import { ChangeFailure } from '../../../system/failure/change-failure'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
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
import { useDeviceImport } from './use-device-import'

const ModelSelect = lazyPart(() => import('../form/model-select').then((part) => part.ModelSelect))

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
// Always there, so that what appears in it is announced; without the gap while it is empty.
const answer = css({ _empty: { mt: '-16' } })
const buttons = css({ display: 'flex', gap: '8', flexWrap: 'wrap', alignItems: 'center' })
const limitText = `CSV or NDJSON, up to ${formatCount(importLimits.lines)} devices.`

// One request imports all devices or none, so there is no part that is done before the end.
const Elapsed = ({ since }: { since: number }) => <>{Math.max(0, Math.floor((useNow().getTime() - since) / 1000))} s so far</>

/** A file is checked first; what was checked is imported, and every change asks for another check. */
export const ImportFile = ({ project }: { project: Project }) => {
  const { organizationId = '' } = useParams({ strict: false })
  const refused = useRefusal('project:manage_devices', 'project:manage_access')
  const models = project.settings.hardware_models
  const [from, setFrom] = useState<'file' | 'text'>('file')
  const [file, setFile] = useState<File>()
  const [text, setText] = useState('')
  const [model, setModel] = useState(models[0]?.id ?? '')
  const { has, checked, done, checkError, importError, since, check, run, cancel, changed } = useDeviceImport(project.id)
  const isImporting = has.has('importing')
  const isChecking = has.has('checking')
  const busy = isImporting || isChecking
  const bytes = from === 'file' ? file : text.trim() === '' ? undefined : new Blob([text])
  const source = bytes && { bytes, model: model.trim(), fileName: from === 'file' ? file?.name : undefined }
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      changed()
    }
  const result = done ?? checked
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
            { value: 'file', label: 'File', disabled: busy },
            { value: 'text', label: 'Paste', disabled: busy },
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
            disabled={busy}
            hint="Of lines that name none."
            onChange={(event) => change(setModel)(event.target.value)}
          />
        ) : (
          <Suspense fallback={<Skeleton height="control" />}>
            <ModelSelect
              name="hardware_model"
              error={undefined}
              models={models}
              disabled={busy}
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
            variant={result ? 'secondary' : 'primary'}
            refused={refused}
            disabled={!source || busy}
            busy={isChecking}
            busyLabel="Checking..."
            onClick={() => source && check(source)}
          >
            Check
          </Button>
          {checked && checked.created > 0 && (
            <Button
              variant="primary"
              refused={refused}
              busy={isImporting}
              busyLabel="Importing..."
              onClick={() => source && run(source)}
            >
              Import {pluralize(checked.created, 'device')}
            </Button>
          )}
          {busy && <Button onClick={cancel}>Cancel</Button>}
        </div>
        {busy && (
          <Progress label={isImporting ? 'Import of devices' : 'Check of the file'}>
            {isImporting && checked ? (
              <>
                Importing {pluralize(checked.created, 'device')}: <Elapsed since={since} />. Thousands take some seconds.
              </>
            ) : (
              <>
                Checking {formatBytes(bytes?.size ?? 0)}: <Elapsed since={since} />. Nothing is changed.
              </>
            )}
          </Progress>
        )}
        <div role="status" className={cx(stack, answer)}>
          {has.has('unknown') && (
            <Callout kind="warning">
              {has.has('cancelled') ? 'The import was cancelled.' : 'The result of the import is not known.'} If the server had
              not finished, it imported nothing; otherwise the import is in the list below, where it can be undone. Importing the
              file again changes no device twice.
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
          {result && <ImportSummary result={result} />}
        </div>
        {checkError && (
          <FailureBox error={checkError} unanswered="Nothing was changed.">
            The file was not checked. Nothing was changed.
          </FailureBox>
        )}
        {importError && (
          <ChangeFailure error={importError} unanswered="Its result is not known.">
            {has.has('unknown') ? 'Its result is not known.' : 'Nothing was imported.'}
          </ChangeFailure>
        )}
      </div>
    </Panel>
  )
}
