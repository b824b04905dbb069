import type { SigningKey } from '../../../contract/fleet/keys'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { type PlatformId, platformRules } from '../../../contract/updates/secure-boot/platforms'
import { ModelsField } from '../../system/form/models-field'
import { Pair } from '../../ui/form/form'
import { NumberField, TextareaField, TextField } from '../../ui/form/text-field'
import type { FormParts } from './form-part'
import { FuseFields } from './fuse-fields'
import { KeyFields } from './key-fields'

type Start = { version: number; models: readonly string[] }
type Props = {
  projectId: string
  form: FormParts
  platform: PlatformId | undefined
  signingKeys: readonly SigningKey[]
  start: Start
  bundle?: SecureBootBundle
}

/** The fields of a bundle that may change, after its platform. */
export const BundleFields = ({ projectId, form, platform, signingKeys, start, bundle }: Props) => {
  const { field } = form
  const lengths = platform ? platformRules[platform].keyHashBytes : []
  return (
    <>
      <ModelsField
        field={field('hardware_models')}
        projectId={projectId}
        start={(bundle?.hardware_models ?? start.models).join(', ')}
        hint="Model ids, separated by commas."
      />
      <Pair>
        <NumberField
          {...field('version')}
          label="Version"
          required
          defaultValue={String(bundle?.version ?? start.version)}
          hint="A whole number, higher than in earlier bundles of these models."
        />
        <NumberField
          {...field('rollback_version')}
          label="Rollback version"
          required
          defaultValue={String(bundle?.rollback_version ?? 0)}
          hint="The counter in the hardware that can only rise. Never lower than in a bundle in use."
        />
      </Pair>
      <TextareaField {...field('description')} label="Description" limit={512} defaultValue={bundle?.description} />
      <KeyFields {...form} start={bundle?.keys ?? []} signingKeys={signingKeys} />
      {(lengths.length > 0 || bundle?.key_hash != null) && (
        <TextField
          {...field('key_hash')}
          label="Key hash"
          mono
          spellCheck={false}
          defaultValue={bundle?.key_hash ?? undefined}
          hint={`The value that is burned into the part: ${lengths.join(' or ')} bytes in hex. Leave empty to take it from the file with the key hash.`}
        />
      )}
      <FuseFields
        {...form}
        start={bundle?.fuse_config}
        name={bundle?.name ?? ''}
        platformWrites={platform !== 'uefi' && platform !== 'u-boot-fit'}
      />
    </>
  )
}
