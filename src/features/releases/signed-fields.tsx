import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { rebootRules } from '../../../contract/device/manifest-fields'
import type { Release } from '../../../contract/updates/releases'
import { lazyPart } from '../../system/page/lazy'
import { ModelsField } from '../../system/form/models-field'
import { Pair } from '../../ui/form/form'
import { SelectField } from '../../ui/form/select-field'
import { NumberField, TextField } from '../../ui/form/text-field'
import { noBundle } from './release-fields'
import { hooks, noHook, reboots, returnText } from './release-form'
import { ReturnField } from './return-field'

const BundleField = lazyPart(() => import('./bundle-field').then((loaded) => loaded.BundleField))

const part = css({ textStyle: 'strong', mt: '8' })

const hint = css({ textStyle: 'small', color: 'muted' })

type Field = (name: string) => { name: string; error: string | undefined }

/** The fields of a draft that its manifest will contain. */
export const SignedFields = ({ release, field }: { release: Release; field: Field }) => {
  const [models, setModels] = useState(release.hardware_models.join(', '))
  const [version, setVersion] = useState(String(release.version))
  const files = release.assets.filter(({ kind }) => kind === 'hook')
  const options = [{ value: noHook, label: 'None' }, ...files.map(({ id, name }) => ({ value: id, label: name }))]
  return (
    <>
      <TextField {...field('name')} label="Name" required autoFocus defaultValue={release.name} />
      <Pair>
        <NumberField
          {...field('version')}
          label="Version"
          required
          defaultValue={String(release.version)}
          onChange={(event) => setVersion(event.target.value)}
          hint="A whole number, higher than in earlier releases. Devices compare it."
        />
        <TextField
          {...field('display_version')}
          label="Display version"
          mono
          defaultValue={release.display_version ?? ''}
          hint="The version as shown to people."
        />
      </Pair>
      <ModelsField
        field={field('hardware_models')}
        projectId={release.project_id}
        start={release.hardware_models.join(', ')}
        hint="Model ids, separated by commas. Other devices refuse the release."
        onTextChange={setModels}
      />
      <h3 className={part}>Versions</h3>
      <Pair>
        <NumberField
          {...field('min_installed_version')}
          label="Minimum installed version"
          defaultValue={String(release.min_installed_version ?? '')}
          hint="Devices below it refuse the release."
        />
        <NumberField
          {...field('rollback_version')}
          label="Rollback version"
          defaultValue={String(release.rollback_version ?? '')}
          hint="The anti-rollback number. Devices with a higher one refuse the release."
        />
        <TextField
          {...field('allow_downgrade_from')}
          label="May replace newer versions"
          mono
          defaultValue={release.allow_downgrade_from?.join(', ') ?? ''}
          hint="Newer versions that may be downgraded to this one, separated by commas."
        />
      </Pair>
      <ReturnField
        field={field('may_return_to')}
        projectId={release.project_id}
        models={models}
        version={version}
        start={release.may_return_to === null ? undefined : returnText(release)}
      />
      <Suspense fallback={<input type="hidden" name="secure_boot_bundle_id" value={release.secure_boot_bundle_id ?? noBundle} />}>
        <BundleField
          field={field('secure_boot_bundle_id')}
          projectId={release.project_id}
          start={release.secure_boot_bundle_id}
        />
      </Suspense>
      <h3 className={part}>Installation</h3>
      <Pair>
        <SelectField
          {...field('reboot')}
          label="Reboot"
          items={rebootRules.map((value) => ({ value, label: reboots[value] }))}
          defaultValue={release.reboot}
          hint="If needed: for a root file system image only."
        />
        {files.length > 0 &&
          hooks.map(([name, label]) => (
            <SelectField
              key={name}
              {...field(`hooks.${name}`)}
              label={label}
              items={options}
              defaultValue={release.hooks[name] ?? noHook}
            />
          ))}
      </Pair>
      {files.length === 0 && (
        <p className={hint}>To run a script before or after the installation, set the kind of its file to hook under Assets.</p>
      )}
    </>
  )
}
