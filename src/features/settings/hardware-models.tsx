import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import type { Project } from '../../../contract/accounts/projects'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Panel, PanelBody, PanelRow } from '../../ui/layout/panel'
import { describeClient } from './model-text'

const ModelDialog = lazyPart(() => import('./model-dialog').then((part) => part.ModelDialog))
const RemoveModelDialog = lazyPart(() => import('./remove-model-dialog').then((part) => part.RemoveModelDialog))

const row = css({ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '8', w: 'full', minW: '0' })
const words = css({ flex: '1', minW: '180', overflowWrap: 'anywhere' })
const quiet = css({ color: 'muted', textStyle: 'small', display: 'block' })
const buttons = css({ display: 'flex', gap: '8' })

const slots = { single: 'one slot', ab: 'A/B slots' }

type Asked = { kind: 'add' } | { kind: 'edit' | 'remove'; model: HardwareModel }

/** The hardware models of a project: what releases are built for, and which client runs on them. */
export const HardwareModels = ({ project }: { project: Project }) => {
  const refused = useRefusal('project:update')
  const [asked, setAsked] = useState<Asked>()
  const deny = refused !== undefined && { refused }
  const models = project.settings.hardware_models
  const close = () => setAsked(undefined)
  return (
    <Panel
      flush
      title="Hardware models"
      aside={
        <Button {...deny} onClick={() => setAsked({ kind: 'add' })}>
          Add model
        </Button>
      }
    >
      {models.length === 0 && <PanelBody>No models: devices of any model can be added.</PanelBody>}
      {models.map((model) => (
        <PanelRow key={model.id}>
          <div className={row}>
            <span className={words}>
              {model.name} <code>{model.id}</code>
              <span className={quiet}>
                {model.platform}, {slots[model.slots]}. {describeClient(model)}.
              </span>
            </span>
            <span className={buttons}>
              <Button size="small" {...deny} aria-label={`Edit ${model.name}`} onClick={() => setAsked({ kind: 'edit', model })}>
                Edit
              </Button>
              <Button
                size="small"
                {...deny}
                aria-label={`Remove ${model.name}`}
                onClick={() => setAsked({ kind: 'remove', model })}
              >
                Remove
              </Button>
            </span>
          </div>
        </PanelRow>
      ))}
      <Suspense>
        {asked?.kind === 'remove' && <RemoveModelDialog project={project} model={asked.model} onClose={close} />}
        {asked && asked.kind !== 'remove' && (
          <ModelDialog project={project} {...(asked.kind === 'edit' && { model: asked.model })} onClose={close} />
        )}
      </Suspense>
    </Panel>
  )
}
