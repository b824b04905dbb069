import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { NewAuthority } from '../../../../contract/fleet/enrollment-tokens'
import { createAuthorityMutation } from '../../../api/mutations/fleet/enrollment-tokens'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { tagsQuery } from '../../../api/queries/fleet/tags'
import { BoundForm } from '../../../system/form/bound-form'
import { useForm } from '../../../system/form/form'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Checkbox } from '../../../ui/form/choice'
import { Code } from '../../../ui/text/code'
import * as Dialog from '../../../ui/overlay/dialog'
import { MultiSelectField } from '../../../ui/form/select-field'
import { TextareaField, TextField } from '../../../ui/form/text-field'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })
const caption = css({ textStyle: 'smallStrong', pb: '4' })
const models = 'hardware-models-of-authority'

/** Lists an authority of client certificates, and says what the proxy and the clients need for it. */
export const AddAuthorityDialog = ({ projectId, onClose }: { projectId: string; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('add_authority', onClose)
  const { data: project } = useSuspenseQuery(projectQuery(api, projectId))
  const { data: tags } = useSuspenseQuery(tagsQuery(api, projectId))
  const [chosen, setChosen] = useState<string[]>([])
  const { data: made, mutateAsync } = useMutation(createAuthorityMutation(api, projectId))
  const { hardware_models, auto_accept_devices } = project.settings
  const read = (data: FormData): unknown => ({
    name: data.get('name'),
    certificate_pem: data.get('certificate_pem'),
    hardware_model: data.get('hardware_model'),
    default_tags: chosen,
    auto_accept: data.get('auto_accept') !== null,
  })
  const form = useForm({
    schema: NewAuthority,
    read,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {},
  })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={made ? `Authority ${made.name}` : 'Add an authority'}
        description="For hawkBit clients with TLS client certificates, which a proxy in front of this server verifies. Each device of the authority registers itself at its first poll."
        footer={made && <Button onClick={close}>Close</Button>}
      >
        {made ? (
          <div className={stack}>
            <p>The operator of the server configures the proxy, and lists it in TEASEL_DDI_TRUSTED_PROXIES.</p>
            <div>
              <p className={caption}>Header that the proxy sets</p>
              <Code label="Header of the proxy" code={`X-Authority: ${made.authority ?? ''}`} />
            </div>
            <div>
              <p className={caption}>Tenant in the configuration of the clients</p>
              <Code label="Tenant in the configuration of the clients" code={projectId} />
            </div>
          </div>
        ) : (
          <BoundForm form={form} dense inDialog onCancel={cancel} submitLabel="Add authority" submittingLabel="Adding...">
            <TextField {...form.field('name')} label="Name" required autoFocus />
            <TextareaField
              {...form.field('certificate_pem')}
              label="Certificate of the authority"
              required
              mono
              rows={5}
              placeholder={'-----BEGIN CERTIFICATE-----\n...\n-----END CERTIFICATE-----'}
            />
            <TextField
              {...form.field('hardware_model')}
              label="Hardware model"
              required
              list={models}
              spellCheck={false}
              hint="The model of the devices that register."
            />
            <datalist id={models}>
              {hardware_models.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </datalist>
            {tags.length > 0 && (
              <MultiSelectField
                label="Tags of new devices"
                error={form.field('default_tags').error}
                items={tags.map(({ name }) => ({ value: name, label: name }))}
                value={chosen}
                onValueChange={setChosen}
                placeholder="None"
              />
            )}
            {auto_accept_devices ? (
              <Checkbox name="auto_accept" defaultChecked>
                Accept new devices automatically
              </Checkbox>
            ) : (
              <p>A person must accept each new device: the project requires it.</p>
            )}
          </BoundForm>
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
