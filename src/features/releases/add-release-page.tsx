import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { NewRelease, type Release } from '../../../contract/updates/releases'
import { createReleaseMutation } from '../../api/mutations/updates/releases'
import { projectQuery } from '../../api/queries/accounts/projects'
import { nextVersionQuery } from '../../api/queries/updates/releases'
import { readCommaList } from '../../lib/comma-list'
import { textOf } from '../../lib/form-data'
import { BackLink, useBack } from '../../system/page/back'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import type { LoaderArgs } from '../../system/scope/guard'
import { ModelsField } from '../../system/form/models-field'
import { useSystem } from '../../system/system'
import { SegmentField } from '../../ui/form/choice-field'
import { FileField } from '../../ui/form/file-field'
import { Pair } from '../../ui/form/form'
import { NumberField, TextareaField, TextField } from '../../ui/form/text-field'
import { Page, PageHead } from '../../ui/layout/page'
import { BundleField } from './bundle-field'
import { bundleOf } from './release-fields'
import { ReturnField } from './return-field'
import { DirectoryField } from './directory-field'
import { useAddFiles } from './use-add-files'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/add')
const list = '/organizations/$organizationId/projects/$projectId/releases/list' as const
const limitText = 'A file can have up to 3.5 GB. It uploads in the panel while you continue.'

const types = [
  { value: 'file', label: 'Files' },
  { value: 'rootfs', label: 'Root file system' },
  { value: 'zip_archive', label: 'Archive' },
  { value: 'bundle', label: 'Bundle' },
] as const

const numberOf = (data: FormData, name: string) => (textOf(data, name) === '' ? undefined : Number(textOf(data, name)))

/** The values of the controls, as the contract's body. */
const read = (data: FormData) => ({
  name: textOf(data, 'name'),
  version: numberOf(data, 'version'),
  display_version: textOf(data, 'display_version') === '' ? null : textOf(data, 'display_version'),
  type: textOf(data, 'type'),
  hardware_models: readCommaList(textOf(data, 'hardware_models')),
  may_return_to: data.has('may_return_to') ? readCommaList(textOf(data, 'may_return_to')).map(Number) : undefined,
  secure_boot_bundle_id: bundleOf(textOf(data, 'secure_boot_bundle_id')),
  description: textOf(data, 'description'),
})

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  queryClient.ensureQueryData(nextVersionQuery(api, params.projectId))

/** Creates the draft first; its files follow in the upload panel. */
export default function AddReleasePage() {
  const { api } = useSystem()
  const { navigate } = useRouter()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { data: version } = useSuspenseQuery(nextVersionQuery(api, params.projectId))
  const { mutateAsync } = useMutation(createReleaseMutation(api, params.projectId))
  const addFiles = useAddFiles()
  const [files, setFiles] = useState<File[]>([])
  const [directory, setDirectory] = useState('/opt/app')
  const known = project.settings.hardware_models.map((model) => model.id).join(', ')
  const [models, setModels] = useState(known)
  const [number, setNumber] = useState(String(version))
  const [type, setType] = useState<Release['type']>('file')
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/releases/list`)
  const form = useForm({
    schema: NewRelease,
    read,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: (release) => {
      void addFiles({ release, files, directory })
      void navigate({ to: `${list}/$releaseId/assets`, params: { ...params, releaseId: release.id }, replace: true })
    },
  })
  const releases = (
    <BackLink to={list} params={params}>
      Releases
    </BackLink>
  )
  return (
    <Page width="form">
      <PageHead title="Add Release" crumbs={[releases, 'Add Release']} />
      <BoundForm form={form} onCancel={back} note="Required fields have an asterisk.">
        <TextField {...form.field('name')} label="Name" required autoFocus />
        <Pair>
          <NumberField
            {...form.field('version')}
            label="Version"
            required
            defaultValue={String(version)}
            onChange={(event) => setNumber(event.target.value)}
            hint="A whole number, higher than in earlier releases. Devices compare it."
          />
          <TextField
            {...form.field('display_version')}
            label="Display version"
            mono
            placeholder="2.4.1"
            hint="The version as shown to people."
          />
        </Pair>
        <SegmentField {...form.field('type')} label="Type" items={types} value={type} onValueChange={setType} />
        <ModelsField
          field={form.field('hardware_models')}
          projectId={params.projectId}
          start={known}
          hint="Model ids, separated by commas. Other devices refuse the release."
          onTextChange={setModels}
        />
        <ReturnField field={form.field('may_return_to')} projectId={params.projectId} models={models} version={number} />
        <BundleField field={form.field('secure_boot_bundle_id')} projectId={params.projectId} />
        <TextareaField {...form.field('description')} label="Description" limit={512} />
        <FileField label="Files" multiple={type === 'file'} limitText={limitText} onFilesChange={setFiles} />
        {type !== 'rootfs' && type !== 'bundle' && files.length > 0 && (
          <DirectoryField value={directory} onChange={setDirectory} />
        )}
      </BoundForm>
    </Page>
  )
}
